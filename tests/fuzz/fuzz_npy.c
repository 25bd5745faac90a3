/* Any bytes after the magic are either an array, which written again reads as the same, or an error. A
 * small header grammar is put in front half of the time, so that the search gets past it soon. */
#include <stdlib.h>
#include <string.h>

#include "pipedp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *bytes, size_t size) {
    pdp_numbers *numbers = NULL;
    if (pdp_numbers_parse(&numbers, bytes, size) == PDP_OK && pdp_numbers_count(numbers) > 0) {
        char *copy = NULL;
        size_t copied = 0;
        FILE *stream = open_memstream(&copy, &copied);
        size_t count = pdp_numbers_count(numbers);
        if (pdp_npy_write(stream, pdp_numbers_data(numbers), 0, count) != PDP_OK || fclose(stream) != 0) {
            abort();
        }
        pdp_numbers *again = NULL;
        if (pdp_numbers_parse(&again, copy, copied) != PDP_OK || pdp_numbers_count(again) != count ||
            memcmp(pdp_numbers_data(numbers), pdp_numbers_data(again), count * sizeof(int64_t)) != 0) {
            abort();
        }
        pdp_numbers_free(again);
        free(copy);
    }
    pdp_numbers_free(numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char bytes[1024];
    size_t used = 6;
    memcpy(bytes, "\x93NUMPY", used);
    if (size > 0 && data[0] % 2 == 0) {
        char header[256];
        int length = snprintf(header, sizeof header, "{'descr': '<i8', 'fortran_order': False, 'shape': (%u,), }\n",
                              data[0] / 2u);
        memcpy(bytes + used, (char[]){1, 0, (char)length, 0}, 4);
        memcpy(bytes + used + 4, header, (size_t)length);
        used += 4 + (size_t)length;
    }
    if (size > sizeof bytes - used) {
        size = sizeof bytes - used;
    }
    memcpy(bytes + used, data, size);
    check(bytes, used + size);
    return 0;
}
