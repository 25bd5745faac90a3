/* Modules for users of the library: the public pdp_code. */
#include <stdlib.h>
#include <string.h>

#include "compile/module.h"

struct pdp_code {
    pdp_module *module;
    pdp_error error;
};

pdp_status pdp_code_compile(pdp_code **out, const char *source, const char *flags) {
    pdp_code *code = *out = calloc(1, sizeof *code);
    if (!code) {
        return PDP_NO_MEMORY;
    }
    if (!source || !flags) {
        return pdp_error_set(&code->error, PDP_BAD_INPUT, "%s is NULL", source ? "flags" : "source");
    }
    return pdp_module_open(&code->module, source, strlen(source), flags, &code->error);
}

pdp_function *pdp_code_find(const pdp_code *code, const char *name) {
    void *symbol = code && code->module ? pdp_module_symbol(code->module, name) : NULL;
    pdp_function *function;
    memcpy(&function, &symbol, sizeof function); /* C has no conversion between the two kinds of pointers */
    return function;
}

const char *pdp_code_error(const pdp_code *code) {
    return code ? code->error.text : "out of memory";
}

void pdp_code_free(pdp_code *code) {
    if (code) {
        pdp_module_close(code->module);
        free(code);
    }
}
