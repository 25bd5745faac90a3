#include "explain.h"

static void print_seconds(FILE *out, double seconds) {
    const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
    fprintf(out, "%9.3g %-2s", seconds * (seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1), unit);
}

static void print_bytes(FILE *out, uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double count = (double)bytes;
    size_t unit = 0;
    for (; count >= 999.5 && unit < 4; unit++) { /* three digits, not 1e+03 */
        count /= 1024;
    }
    fprintf(out, "%.3g %s", count, units[unit]);
}

void explain_print(FILE *out, const pdp_plan *plan) {
    const char *about = NULL;
    pdp_candidate candidate;
    const char *text = pdp_plan_reason(plan, 0, &about);
    if (!text) {
        return;
    }
    for (size_t x = 0; text; x++, text = pdp_plan_reason(plan, x, &about)) {
        fprintf(out, "%-9s %s\n", about, text);
    }
    for (size_t x = 0; pdp_plan_candidate(plan, x, &candidate); x++) {
        fprintf(out, "%-9s %c %-11s %-4s ", x == 0 ? "ways" : "", candidate.chosen ? '*' : ' ', candidate.algorithm,
                candidate.backend);
        if (candidate.refused) {
            fprintf(out, "%12s  %s\n", "no:", candidate.reason);
            continue;
        }
        print_seconds(out, candidate.seconds);
        fprintf(out, "  %.3g steps, %s%s", candidate.operations, candidate.reason,
                *candidate.reason != '\0' ? ", " : "");
        print_bytes(out, candidate.bytes);
        fputc('\n', out);
    }
}

void explain_write(json *writer, const pdp_plan *plan) {
    const char *about = NULL;
    pdp_candidate candidate;
    const char *text = pdp_plan_reason(plan, 0, &about);
    if (!text) {
        return;
    }
    json_open_object(writer, "plan");
    for (size_t x = 0; text; x++, text = pdp_plan_reason(plan, x, &about)) {
        json_put_string(writer, about, text);
    }
    json_open_array(writer, "candidates");
    for (size_t x = 0; pdp_plan_candidate(plan, x, &candidate); x++) {
        json_open_object(writer, NULL);
        json_put_string(writer, "algorithm", candidate.algorithm);
        json_put_string(writer, "backend", candidate.backend);
        json_put_boolean(writer, "chosen", candidate.chosen != 0);
        json_put_boolean(writer, "refused", candidate.refused != 0);
        if (!candidate.refused) {
            json_put_double(writer, "seconds", candidate.seconds);
            json_put_double(writer, "steps", candidate.operations);
            json_put_unsigned(writer, "bytes", candidate.bytes);
        }
        if (*candidate.reason != '\0') {
            json_put_string(writer, "reason", candidate.reason);
        }
        json_close_object(writer);
    }
    json_close_array(writer);
    json_close_object(writer);
}
