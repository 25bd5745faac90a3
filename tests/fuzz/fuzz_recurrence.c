/* Any text is either a recurrence, which printed and read again prints the same, or an error with a text. Texts
 * with a control character in front get the beginning of a file instead of it, so that the search gets to expressions
 * soon. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recurrence/recurrence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const beginnings[] = {
    "interval a\ninput p[n+1] >= 1\nsize n+1\nempty 0\nleaf 0\ncombine min\nterm l + ",
    "interval a\ntype f64\ninput p[n]\nparam w = 2.5\nsize n\nempty w\nleaf 0.5\nfinish best\ncombine max\nterm r*",
    "interval a\ntype bits\ninput A[m] >= 0 <= 63\ninput s[n] in \"ab\"\nsize n+1\nleaf 1<<s[i]\ncombine or\nterm ",
    "linear a\ntype mod P\nparam P\ninput a[k]\nsize P\nmissing skip\noffset a[j]\ncombine add\nlet f(u) = u*s\nterm ",
    "linear a\ninput a[k]\nsize 9\nmissing skip\noffset a[j]\nterm s\ncombine (x, y) ",
    "linear a\nparam op operator\ninput a[k]\nsize 9\nmissing skip\noffset a[j]\nterm s\ncombine op\n",
};
enum { BEGINNINGS = sizeof beginnings / sizeof *beginnings };

static void require(int holds) {
    if (!holds) {
        abort();
    }
}

static void check(const char *text, size_t length) {
    pdp_recurrence *recurrence = NULL;
    if (pdp_recurrence_parse(&recurrence, text, length) != PDP_OK) {
        require(strlen(recurrence->error.text) > 0);
        pdp_recurrence_free(recurrence);
        return;
    }
    for (uint32_t n = 0; n < recurrence->node_count; n++) {
        for (uint32_t c = 0; c < recurrence->nodes[n].child_count; c++) {
            require(recurrence->nodes[n].child[c] < n);
        }
    }
    char *printed = pdp_recurrence_print(recurrence);
    pdp_recurrence *again = NULL;
    require(pdp_recurrence_parse(&again, printed, strlen(printed)) == PDP_OK);
    char *printed_again = pdp_recurrence_print(again);
    require(strcmp(printed, printed_again) == 0);
    free(printed);
    free(printed_again);
    pdp_recurrence_free(recurrence);
    pdp_recurrence_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || data[0] >= ' ') {
        check((const char *)data, size);
        return 0;
    }
    char text[1024];
    int used = snprintf(text, sizeof text, "%s", beginnings[data[0] % BEGINNINGS]);
    size_t room = sizeof text - (size_t)used;
    size_t taken = size - 1 < room ? size - 1 : room;
    memcpy(text + used, data + 1, taken);
    check(text, (size_t)used + taken);
    return 0;
}
