#include "core/error.h"

#include <inttypes.h>
#include <stdarg.h>

pdp_status pdp_error_set(pdp_error *error, pdp_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->status = status;
    return status;
}

pdp_status pdp_error_set_no_memory(pdp_error *error, uint64_t bytes) {
    return pdp_error_set(error, PDP_NO_MEMORY, "out of memory: %" PRIu64 " bytes could not be had", bytes);
}
