/* C source text that becomes code in this process: compiled by the machine's compiler, kept in a cache on
 * disk, loaded.
 *
 * The compiler is the program that CC names (one name or path, no arguments), else cc, gcc or clang on PATH.
 * The cache is $XDG_CACHE_HOME/pipedp, else $HOME/.cache/pipedp. PIPEDP_COMPILE=0 switches all of it off.
 * The caller notices nothing but the time it takes: no signal disposition is touched, and whatever it does
 * about its own children is its own affair. */
#ifndef PDP_COMPILE_MODULE_H
#define PDP_COMPILE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

typedef struct pdp_module pdp_module;

/* Compiles the source, or takes what an earlier compilation of it left, and loads it. `level_flags` are
 * further compiler arguments separated by spaces ("-march=x86-64-v3"), or NULL. The symbol
 * pdp_module_key is taken; helper functions should be static, or they are not inlined.
 * On failure *out is NULL. PDP_BAD_INPUT: compiling is switched off. PDP_IO: no compiler, a failed
 * compilation (with the compiler's first words), a cache folder that others could write to. */
pdp_status pdp_module_open(pdp_module **out, const char *source, size_t length, const char *level_flags,
                           pdp_error *error);

/* Whether an earlier compilation has left something: then it is soon open. */
bool pdp_module_is_cached(const char *source, size_t length, const char *level_flags);

/* Whether PIPEDP_COMPILE=0 has switched compiling off. */
bool pdp_module_is_off(void);

/* The address of a function or a variable, NULL if there is none of that name. */
void *pdp_module_symbol(const pdp_module *module, const char *name);

/* Whether no compiler had to run. */
bool pdp_module_was_cached(const pdp_module *module);

/* Unloads; takes NULL. */
void pdp_module_close(pdp_module *module);

#endif
