/* The rates of this machine: built in for each vector level, or measured by `pipedp tune` and kept in the cache folder,
 * in a file that is ours alone and says which machine it is of. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "compile/blob.h"
#include "compile/cache.h"
#include "compile/work.h"
#include "plan/cost.h"

#define FILE_NAME "rates"

/* Of the steps that rates are of: one more whenever a step weighs something else, so that older files do not count. */
#define WEIGHTS 2

/* Between what was measured on EPYCs of two generations and on a Xeon, all x86-64-v4, where that chose best on both
 * sides; `lanes` says which grow with the width of the vectors. */
static const struct {
    const char *name;
    double standard;
    bool lanes;
} kinds[PDP_RATE_COUNT] = {
    {"interpreter", 3.7e7, false},
    {"loops", 9e8, false},
    /* One for each pdp_machine_type. */
    {"tiles i32", 2.9e10, true},
    {"tiles i64", 1.6e10, true},
    {"tiles f32", 2.3e10, true},
    {"tiles f64", 1.3e10, true},
    {"tiles u32", 5e9, true},
    {"tiles u64", 5e9, true},
    {"tiles checked", 3.8e8, false},
    {"blocks i32", 7.6e10, true},
    {"blocks i64", 3.4e10, true},
    {"blocks f32", 6e10, true},
    {"blocks f64", 4e10, true},
    {"blocks u32", 4.4e10, true},
    {"blocks u64", 5e10, true},
    {"blocks checked", 4.5e8, false},
    {"blocks of bits", 1.05e11, true},
    /* The other methods, and what is not arithmetic. */
    {"hu-shing", 3.9e8, false},
    {"knuth", 2.6e8, false},
    {"settle", 4.7e8, false},
    {"runs", 2.7e10, false},
    {"blocks near by", 6.5e10, false},
    {"runs near by", 1.7e10, false},
    {"series", 3.6e9, true},
    {"bostan-mori", 2.1e9, true},
    {"bytes of fresh memory", 6e9, false},
    {"compilations", 1.5, false},
    {"tiles on a GPU", 5e11, false},
    {"blocks on a GPU", 1e11, false},
    {"starts of a GPU", 0.5, false},
};

/* ---- The machine ---- */

/* The processor's name as it gives it itself; "" elsewhere. */
static void find_model(char model[64]) {
    memset(model, 0, 64);
#if defined(__x86_64__)
    for (unsigned x = 0; x < 3; x++) {
        unsigned words[4] = {0};
        if (__get_cpuid(0x80000002u + x, &words[0], &words[1], &words[2], &words[3])) {
            memcpy(model + (size_t)16 * x, words, sizeof words);
        }
    }
    for (char *c = model; *c != '\0'; c++) {
        *c = *c < ' ' || *c > '~' ? ' ' : *c;
    }
#endif
}

/* The first lines of the file: rates of another machine, or of another version, are not ours. */
static int write_head(char *out, size_t size, pdp_level level) {
    char model[64];
    find_model(model);
    return snprintf(out, size, "pipedp rates %s, weights %d\n%s %s\n", pdp_version(), WEIGHTS, pdp_level_name(level),
                    model);
}

/* ---- In memory ---- */

void pdp_rates_set_defaults(pdp_rates *out, pdp_level level) {
    *out = (pdp_rates){.level = level};
    for (int x = 0; x < PDP_RATE_COUNT; x++) {
        const int halvings =
            kinds[x].lanes ? (int)PDP_LEVEL_V4 - (int)(level > PDP_LEVEL_V2 ? level : PDP_LEVEL_V2) : 0;
        out->values[x] = ldexp(kinds[x].standard, -halvings);
    }
}

static bool is_rate(double value) {
    return value >= 1e-3 && value <= 1e18; /* false for what is no number */
}

/* All rates by their names, one a line, in our order; false, and nothing is taken, if there is anything else. In the
 * file they are whole numbers, how often in 1000 seconds, for these are the same in every locale. */
static bool read_rates(pdp_rates *out, const char *text, const char *head) {
    pdp_rates read = *out;
    if (strncmp(text, head, strlen(head)) != 0) {
        return false;
    }
    text += strlen(head);
    for (int x = 0; x < PDP_RATE_COUNT; x++) {
        const size_t length = strlen(kinds[x].name);
        char *end = NULL;
        if (strncmp(text, kinds[x].name, length) != 0 || strncmp(text + length, ": ", 2) != 0) {
            return false;
        }
        read.values[x] = strtod(text + length + 2, &end) / 1000;
        if (*end != '\n' || !is_rate(read.values[x])) {
            return false;
        }
        text = end + 1;
    }
    read.is_measured = true;
    *out = *text == '\0' ? read : *out;
    return *text == '\0';
}

void pdp_rates_find(pdp_rates *out, pdp_level level) {
    char head[256];
    int folder = -1;
    pdp_error error = {0}; /* a folder that is not to be trusted has no rates */
    pdp_blob file = {NULL, 0};
    pdp_rates_set_defaults(out, level);
    write_head(head, sizeof head, level);
    pdp_cache_open(&folder, false, &error);
    if (folder >= 0 && pdp_blob_read(&file, folder, FILE_NAME)) {
        read_rates(out, file.data, head);
        free(file.data);
    }
    if (folder >= 0) {
        close(folder);
    }
}

/* ---- The public functions ---- */

pdp_status pdp_rates_create(pdp_rates **out, int built_in) {
    pdp_rates *rates = *out = calloc(1, sizeof *rates);
    pdp_level level = PDP_LEVEL_GENERIC;
    if (!rates) {
        return PDP_NO_MEMORY;
    }
    if (pdp_level_find(&level, &rates->error) != PDP_OK) {
        return rates->error.status;
    }
    if (built_in) {
        pdp_rates_set_defaults(rates, level);
    } else {
        pdp_rates_find(rates, level);
    }
    return PDP_OK;
}

const char *pdp_rates_name(size_t index) {
    return index < PDP_RATE_COUNT ? kinds[index].name : NULL;
}

double pdp_rates_get(const pdp_rates *rates, size_t index) {
    return rates && index < PDP_RATE_COUNT ? rates->values[index] : 0;
}

pdp_status pdp_rates_set(pdp_rates *rates, size_t index, double per_second) {
    if (!rates) {
        return PDP_NO_MEMORY;
    }
    if (index >= PDP_RATE_COUNT || !is_rate(per_second)) {
        return pdp_error_set(&rates->error, PDP_BAD_INPUT, "rate %zu is %g, and must be one of %d, 0.001 to 1e18",
                             index, per_second, PDP_RATE_COUNT);
    }
    rates->values[index] = per_second;
    rates->is_measured = true;
    return PDP_OK;
}

int pdp_rates_are_measured(const pdp_rates *rates) {
    return rates && rates->is_measured;
}

static bool write_file(const pdp_rates *rates, int file) {
    char line[256];
    bool is_written = pdp_blob_append(file, line, (size_t)write_head(line, sizeof line, rates->level));
    for (int x = 0; x < PDP_RATE_COUNT; x++) {
        const int length = snprintf(line, sizeof line, "%s: %.0f\n", kinds[x].name, 1000 * rates->values[x]);
        is_written = is_written && pdp_blob_append(file, line, (size_t)length);
    }
    return pdp_blob_finish(file) && is_written;
}

pdp_status pdp_rates_save(pdp_rates *rates) {
    int folder = -1;
    pdp_work work;
    if (!rates) {
        return PDP_NO_MEMORY;
    }
    if (pdp_cache_open(&folder, true, &rates->error) != PDP_OK) {
        return rates->error.status;
    }
    if (folder < 0 || !pdp_work_create(&work, folder)) {
        pdp_error_set(&rates->error, PDP_IO,
                      "there is no cache folder that can be written: set HOME or XDG_CACHE_HOME");
    } else {
        if (work.parent != folder || !write_file(rates, pdp_blob_create(work.folder, FILE_NAME)) ||
            renameat(work.folder, FILE_NAME, folder, FILE_NAME) != 0) {
            pdp_error_set(&rates->error, PDP_IO, "the rates cannot be written to the cache folder: %s",
                          strerror(errno));
        }
        pdp_work_remove(work.parent, work.name);
        close(work.folder);
    }
    if (folder >= 0) {
        close(folder);
    }
    return rates->error.status;
}

const char *pdp_rates_error(const pdp_rates *rates) {
    return rates ? rates->error.text : "out of memory";
}

void pdp_rates_free(pdp_rates *rates) {
    free(rates);
}
