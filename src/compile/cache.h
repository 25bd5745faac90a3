/* Compiled objects on disk. An entry is a file KEY.so that holds the object, the whole text it was made
 * from, and a trailer with their sizes and the object's hash; it appears by a rename, complete. Entries are
 * trusted only if they are of this user, not writable by others, and of just this text. */
#ifndef PDP_COMPILE_CACHE_H
#define PDP_COMPILE_CACHE_H

#include <stdbool.h>

#include "compile/blob.h"
#include "compile/work.h"
#include "core/error.h"

/* How much is kept: beyond it, what was not used for longest goes. */
enum { PDP_CACHE_ENTRIES = 1000, PDP_CACHE_MEGABYTES = 256 };

enum { PDP_CACHE_KEY_LENGTH = 32 };

typedef struct pdp_entry {
    pdp_blob text; /* all that the object depends on */
    char key[PDP_CACHE_KEY_LENGTH + 1];
    char file[PDP_CACHE_KEY_LENGTH + 4];
} pdp_entry;

/* Sets key and file from the text. */
void pdp_entry_name(pdp_entry *entry);

/* Opens the folder, which may be made if it is missing. *folder is -1, with PDP_OK, where none can be had: no home, or
 * one that cannot be written. A folder that others could have written to is PDP_IO. */
pdp_status pdp_cache_open(int *folder, bool may_create, pdp_error *error);

/* The object of an entry; false if there is none, or none to be trusted. The caller frees it. */
bool pdp_cache_load(int folder, const pdp_entry *entry, pdp_blob *object);

/* Adds an entry by way of the work folder, and removes what is too old or too much. A failure leaves the
 * cache as it was. */
void pdp_cache_store(int folder, const pdp_work *work, const pdp_entry *entry, const pdp_blob *object);

#endif
