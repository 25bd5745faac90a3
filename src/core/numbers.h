/* A list or a matrix of int64 or of doubles, from text or from .npy. */
#ifndef PDP_CORE_NUMBERS_H
#define PDP_CORE_NUMBERS_H

#include "core/error.h"

/* An item, `real` under PDP_REALS. */
typedef union pdp_number {
    int64_t whole;
    double real;
} pdp_number;

struct pdp_numbers {
    unsigned form; /* PDP_REALS, PDP_MATRIX */
    pdp_number *items;
    size_t count;
    size_t columns; /* of a matrix */
    size_t capacity;
    pdp_error error;
};

/* Makes room for `capacity` items in all. Refuses what the machine has no memory for, so that a file
 * that claims or brings too much is an error and not a dead machine. */
pdp_status pdp_numbers_reserve(pdp_numbers *numbers, size_t capacity);

/* Reads text, or a .npy by its first byte, from a stream to its end. */
pdp_status pdp_numbers_read_stream(pdp_numbers *numbers, FILE *stream);

/* Reads a .npy, whose first byte has been seen but not taken, to the end of the stream. */
pdp_status pdp_npy_read(pdp_numbers *numbers, FILE *stream);

#define PDP_NPY_FIRST_BYTE 0x93

#endif
