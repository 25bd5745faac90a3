/* The built-in recurrences: files like any other, but for where their text is. */
#include <stdlib.h>
#include <string.h>

#include "core/embedded.h"
#include "recurrence/recurrence.h"

static size_t builtin_count(void) {
    size_t count = 0;
    while (pdp_builtin_files[count].name) {
        count++;
    }
    return count;
}

const char *pdp_builtin_name(size_t index) {
    return index < builtin_count() ? pdp_builtin_files[index].name : NULL;
}

const char *pdp_builtin_text(size_t index) {
    return index < builtin_count() ? pdp_builtin_files[index].text : NULL;
}

pdp_status pdp_recurrence_load(pdp_recurrence **out, const char *name) {
    for (size_t x = 0; x < builtin_count(); x++) {
        if (strcmp(pdp_builtin_files[x].name, name) == 0) {
            return pdp_recurrence_parse(out, pdp_builtin_files[x].text, strlen(pdp_builtin_files[x].text));
        }
    }
    pdp_recurrence *failed = *out = calloc(1, sizeof *failed);
    return failed ? pdp_error_set(&failed->error, PDP_BAD_INPUT, "there is no built-in recurrence '%.40s'", name)
                  : PDP_NO_MEMORY;
}

const char *pdp_recurrence_error(const pdp_recurrence *recurrence) {
    return recurrence ? recurrence->error.text : "out of memory";
}

static bool is_good(const pdp_recurrence *recurrence) {
    return recurrence && recurrence->error.status == PDP_OK;
}

const char *pdp_recurrence_name(const pdp_recurrence *recurrence) {
    return is_good(recurrence) ? recurrence->name : "";
}

pdp_shape pdp_recurrence_shape(const pdp_recurrence *recurrence) {
    return is_good(recurrence) ? recurrence->shape : PDP_LINEAR;
}

int pdp_recurrence_field(const pdp_recurrence *recurrence, size_t index, pdp_field *out) {
    if (!is_good(recurrence) || index >= (size_t)recurrence->param_count + recurrence->input_count) {
        return 0;
    }
    if (index < recurrence->param_count) {
        const pdp_param *param = &recurrence->params[index];
        *out = (pdp_field){param->name, 1, param->is_operator, param->is_real, param->has_default, 0, NULL};
        return 1;
    }
    const pdp_input *input = &recurrence->inputs[index - recurrence->param_count];
    *out =
        (pdp_field){input->name,    0, 0, input->is_real, input->is_optional, input->extent[1] == PDP_NO_NODE ? 1 : 2,
                    input->alphabet};
    return 1;
}
