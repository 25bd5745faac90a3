/* The error an object carries: a status and a text that names the offending value. */
#ifndef PDP_CORE_ERROR_H
#define PDP_CORE_ERROR_H

#include "pipedp.h"

typedef struct pdp_error {
    pdp_status status;
    char text[320];
} pdp_error;

/* Sets the error and returns its status, so that a failing function ends in
 * `return pdp_error_set(error, PDP_BAD_INPUT, "...")`. */
__attribute__((format(printf, 3, 4))) pdp_status pdp_error_set(pdp_error *error, pdp_status status, const char *format,
                                                               ...);

/* For allocations that were refused: names the bytes. */
pdp_status pdp_error_set_no_memory(pdp_error *error, uint64_t bytes);

#endif
