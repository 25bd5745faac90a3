/* Whole files in memory, of a folder that is held open: no link is followed to them, and no other user can
 * have had a hand in them. */
#ifndef PDP_COMPILE_BLOB_H
#define PDP_COMPILE_BLOB_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pdp_blob {
    char *data;
    size_t size;
} pdp_blob;

/* Reads a file: a regular one of our own that nobody else may write. False otherwise. A zero follows the
 * data; the caller frees it. */
bool pdp_blob_read(pdp_blob *out, int folder, const char *name);

/* A new file that is ours alone, or -1. Appending to -1 is false. */
int pdp_blob_create(int folder, const char *name);
bool pdp_blob_append(int descriptor, const void *data, size_t size);
bool pdp_blob_finish(int descriptor);

#endif
