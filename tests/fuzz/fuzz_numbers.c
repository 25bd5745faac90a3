/* Any text is either a list, which written out again reads as the same list, or an error with a text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pipedp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pdp_numbers *numbers = NULL;
    pdp_status status = pdp_numbers_parse(&numbers, (const char *)data, size);
    if (status != PDP_OK) {
        if (strlen(pdp_numbers_error(numbers)) == 0) {
            abort();
        }
        pdp_numbers_free(numbers);
        return 0;
    }
    size_t count = pdp_numbers_count(numbers);
    char *text = malloc(count * 24 + 1);
    char *end = text;
    for (size_t i = 0; i < count; i++) {
        end += sprintf(end, i % 2 == 0 ? " %" PRId64 "\n" : "%" PRId64 ",", pdp_numbers_data(numbers)[i]);
    }
    if (end > text && end[-1] == ',') { /* a comma wants something after it */
        end--;
    }
    pdp_numbers *again = NULL;
    if (pdp_numbers_parse(&again, text, (size_t)(end - text)) != PDP_OK || pdp_numbers_count(again) != count ||
        (count > 0 && memcmp(pdp_numbers_data(numbers), pdp_numbers_data(again), count * sizeof(int64_t)) != 0)) {
        abort();
    }
    free(text);
    pdp_numbers_free(again);
    pdp_numbers_free(numbers);
    return 0;
}
