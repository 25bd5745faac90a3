#include "support.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The instance and method at hand, for the message of a failing test. */
static const sdp_instance *current_sdp;
static const int64_t *current_dims;
static size_t current_dim_count;
static char current_algorithm[32];

size_t campaign(size_t quick, size_t in_long_tier) {
    return getenv("PIPEDP_LONG") ? in_long_tier : quick;
}

uint64_t test_seed(void) {
    static bool is_printed;
    const char *text = getenv("PIPEDP_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : UINT64_C(20240229);
    if (!is_printed) {
        print_message("seed %" PRIu64 " (PIPEDP_SEED)\n", seed);
        is_printed = true;
    }
    return seed;
}

static void print_numbers(const char *name, const int64_t *numbers, size_t count) {
    print_error("  %s", name);
    for (size_t i = 0; i < count; i++) {
        print_error("%c%" PRId64, i == 0 ? ' ' : ',', numbers[i]);
    }
    print_error("\n");
}

void print_case(void) {
    print_error("seed %" PRIu64 ", method %s\n", test_seed(), current_algorithm);
    if (current_sdp) {
        const sdp_instance *s = current_sdp;
        print_error("  sdp n %zu, op %s, overflow policy %d, modulus %" PRId64 "\n", s->n, pdp_operator_name(s->op),
                    (int)s->overflow, s->modulus);
        print_numbers("offsets", s->offsets, s->k);
        print_numbers("presets", s->presets, (size_t)s->offsets[0]);
    } else if (current_dims) {
        print_numbers("mcm", current_dims, current_dim_count);
    }
}

void random_offsets(sdp_instance *instance, uint64_t *state, size_t k, size_t first) {
    instance->k = 0;
    instance->offsets[instance->k++] = (int64_t)first;
    size_t wanted = k - 1;
    for (size_t offset = first - 1; offset > 0 && wanted > 0; offset--) { /* wanted of the `offset` left */
        if ((size_t)pdp_random_between(state, 1, (int64_t)offset) <= wanted) {
            instance->offsets[instance->k++] = (int64_t)offset;
            wanted--;
        }
    }
}

void consecutive_offsets(sdp_instance *instance, size_t k) {
    instance->k = k;
    for (size_t j = 0; j < k; j++) {
        instance->offsets[j] = (int64_t)(k - j);
    }
}

void random_presets(sdp_instance *instance, uint64_t *state, int64_t low, int64_t high) {
    for (size_t i = 0; i < (size_t)instance->offsets[0]; i++) {
        instance->presets[i] = pdp_random_between(state, low, high);
    }
}

void random_chain(mcm_instance *instance, uint64_t *state, size_t n, int64_t most) {
    instance->n = n;
    for (size_t m = 0; m <= n; m++) {
        instance->dims[m] = pdp_random_between(state, 1, most);
    }
}

pdp_problem *make_sdp(const sdp_instance *instance) {
    current_sdp = instance;
    current_dims = NULL;
    pdp_sdp sdp = {
        .n = instance->n,
        .offsets = instance->offsets,
        .offset_count = instance->k,
        .presets = instance->presets,
        .preset_count = (size_t)instance->offsets[0],
        .op = instance->op,
        .overflow = instance->overflow,
        .modulus = instance->modulus,
    };
    pdp_problem *problem;
    pdp_status status = pdp_problem_create_sdp(&problem, &sdp);
    CHECK(status == PDP_OK, "%s", pdp_problem_error(problem));
    assert_string_equal(pdp_problem_error(problem), "");
    return problem;
}

pdp_problem *make_chain(const int64_t *dims, size_t count) {
    current_sdp = NULL;
    current_dims = dims;
    current_dim_count = count;
    pdp_problem *problem;
    pdp_status status = pdp_problem_create_mcm(&problem, dims, count);
    CHECK(status == PDP_OK, "%s", pdp_problem_error(problem));
    assert_string_equal(pdp_problem_error(problem), "");
    return problem;
}

pdp_problem *make_mcm(const mcm_instance *instance) {
    return make_chain(instance->dims, instance->n + 1);
}

pdp_solution *solve(const pdp_problem *problem, const char *algorithm, const pdp_options *options) {
    pdp_options all = PDP_OPTIONS_DEFAULT;
    if (options) {
        all = *options;
    }
    all.algorithm = algorithm;
    snprintf(current_algorithm, sizeof current_algorithm, "%s", algorithm ? algorithm : "(none)");
    pdp_plan *plan;
    pdp_status status = pdp_plan_create(&plan, problem, &all);
    CHECK(status == PDP_OK, "%s", pdp_plan_error(plan));
    assert_string_equal(pdp_plan_error(plan), "");
    pdp_solution *solution;
    status = pdp_plan_run(plan, &solution);
    CHECK(status == PDP_OK, "%s", pdp_solution_error(solution));
    assert_string_equal(pdp_solution_error(solution), "");
    pdp_plan_free(plan);
    return solution;
}

int hear(void *context, double share) {
    listener *l = context;
    l->is_monotone &= share >= l->last && share <= 1;
    l->last = share;
    return ++l->calls == l->stop_at;
}

pdp_record record_of(pdp_problem *problem, const char *algorithm) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.record = 1;
    pdp_solution *solution = solve(problem, algorithm, &options);
    const pdp_record *found = pdp_solution_record(solution);
    assert_non_null(found);
    pdp_record record = *found;
    pdp_solution_free(solution);
    pdp_problem_free(problem);
    return record;
}

size_t method_count(pdp_shape kind) {
    size_t count = 0;
    while (pdp_algorithm_name(kind, count)) {
        count++;
    }
    return count;
}

bool method_takes(const char *name, const sdp_instance *s) {
    const bool is_ordered = s->op == PDP_MIN || s->op == PDP_MAX;
    if (strcmp(name, "settle") == 0) {
        return is_ordered;
    }
    if (strcmp(name, "series") == 0 || strcmp(name, "bostan-mori") == 0) { /* which takes what is proven to fit */
        return s->op == PDP_ADD && (name[0] == 's' || s->overflow != PDP_OVERFLOW_ERROR);
    }
    if (strcmp(name, "runs") != 0) {
        return true;
    }
    bool has_lowest = false; /* whose absolute value is no int64 */
    for (size_t i = 0; i < (size_t)s->offsets[0]; i++) {
        has_lowest |= s->presets[i] == INT64_MIN;
    }
    return is_ordered || s->op == PDP_AND || s->op == PDP_OR || (s->op == PDP_GCD && s->k > 1 && !has_lowest);
}

bool method_solves(const pdp_problem *problem, const char *name) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    options.algorithm = name;
    const pdp_status status = pdp_plan_create(&plan, problem, &options);
    pdp_plan_free(plan);
    return status != PDP_BAD_INPUT;
}

bool method_records(const char *name) {
    static const char *const others[] = {"blocks", "tiles",  "hu-shing",    "knuth", "settle",
                                         "runs",   "series", "bostan-mori", "window"};
    bool records = true;
    for (size_t x = 0; x < sizeof others / sizeof *others; x++) {
        records &= strcmp(name, others[x]) != 0;
    }
    return records;
}

bool method_has_table(const char *name) {
    return strcmp(name, "hu-shing") != 0 && strcmp(name, "bostan-mori") != 0 && strcmp(name, "window") != 0;
}

static char cache_folder[] = "/tmp/pipedp-unit-XXXXXX";

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_cache(void) {
    nftw(cache_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void use_test_cache(void) {
    if (!getenv("XDG_CACHE_HOME")) {
        assert_non_null(mkdtemp(cache_folder));
        assert_int_equal(setenv("XDG_CACHE_HOME", cache_folder, 1), 0);
        atexit(remove_cache);
    }
}

void assert_in(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("'%s' is not in '%s'", part, text);
    }
}
