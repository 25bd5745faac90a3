/* The choice between methods, by rates that are the same on every machine, and where the rates come from. */
#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/plan.h"

enum { PATH_SIZE = 600 };

static char folder[] = "/tmp/pipedp-cost-XXXXXX"; /* XDG_CACHE_HOME */
static char path[PATH_SIZE];                      /* of the rates */
static pdp_rates *rates;                          /* one thread, vectors of the highest level */

/* ---- Problems ---- */

/* A line of n cells: `most` is the largest offset, and of those below it every step-th, more or less, is one too. */
static pdp_problem *make_line(size_t n, int64_t most, int64_t step, pdp_operator op, int64_t modulus) {
    uint64_t state = 1;
    int64_t *offsets = calloc((size_t)most, sizeof *offsets), *presets = calloc((size_t)most, sizeof *presets);
    assert_true(offsets && presets);
    pdp_sdp sdp = {.n = n, .offsets = offsets, .presets = presets, .preset_count = (size_t)most, .op = op};
    for (int64_t v = most; v > 0; v -= pdp_random_between(&state, 1, 2 * step - 1)) {
        offsets[sdp.offset_count++] = v;
        presets[v - 1] = v % 1000;
    }
    sdp.overflow = modulus > 0 ? PDP_OVERFLOW_MOD : PDP_OVERFLOW_ERROR;
    sdp.modulus = modulus;
    pdp_problem *problem;
    assert_int_equal(pdp_problem_create_sdp(&problem, &sdp), PDP_OK);
    free(offsets);
    free(presets);
    return problem;
}

static pdp_problem *make_long_chain(size_t n) {
    static int64_t dims[MAX_DIMS]; /* noted for a failing CHECK */
    for (size_t m = 0; m <= n; m++) {
        dims[m] = 1 + (int64_t)(m * 7 % 13);
    }
    return make_chain(dims, n + 1);
}

static pdp_options make_options(void) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.rates = rates;
    options.threads = 1;
    options.decisions = 0;
    options.backend = "cpu";
    return options;
}

/* What is chosen; the problem is freed. */
static void expect_choice(pdp_problem *problem, const pdp_options *options, const char *method) {
    pdp_plan *plan;
    const pdp_status status = pdp_plan_create(&plan, problem, options);
    CHECK(status == PDP_OK, "%s: %s", method, pdp_plan_error(plan));
    CHECK(strcmp(pdp_plan_algorithm(plan), method) == 0, "%s, and not %s", pdp_plan_algorithm(plan), method);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

/* ---- The choice ---- */

/* With sanitizers no kernels are built in, and a compiler's time decides. */
static void need_kernels(void) {
    pdp_options options = make_options();
    pdp_problem *problem = make_line(1000, 500, 1, PDP_MIN, 0);
    pdp_candidate candidate;
    pdp_plan *plan;
    bool is_there = false;
    options.explain = 1;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    for (size_t x = 0; pdp_plan_candidate(plan, x, &candidate); x++) {
        is_there |= strcmp(candidate.algorithm, "blocks") == 0 && candidate.reason[0] == '\0';
    }
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    if (!is_there) {
        skip();
    }
}

static void test_choice(void **unused) {
    (void)unused;
    need_kernels();
    const int64_t prime = 998244353;
    pdp_options options = make_options();
    /* Few terms: nobody looks. */
    expect_choice(make_line(100, 50, 1, PDP_MIN, 0), &options, "blocks");
    expect_choice(make_long_chain(6), &options, "tiles");
    /* Many: the denser the offsets, the better for settle; runs like few and long ones, and blocks others near by. */
    expect_choice(make_line(400000, 200000, 2, PDP_MIN, 0), &options, "settle");
    expect_choice(make_line(400000, 200000, 1, PDP_AND, 0), &options, "runs");
    expect_choice(make_line(400000, 200, 3, PDP_MIN, 0), &options, "blocks");
    expect_choice(make_line(400000, 200000, 2, PDP_ADD, prime), &options, "series");
    expect_choice(make_long_chain(300), &options, "tiles");
}

/* Only what leaves all that is asked for. */
static void test_asked_for(void **unused) {
    (void)unused;
    need_kernels();
    pdp_options options = make_options();
    options.table = 0;
    expect_choice(make_long_chain(6), &options, "hu-shing");
    expect_choice(make_long_chain(300), &options, "hu-shing");
    expect_choice(make_line(1000000, 300, 3, PDP_ADD, 998244353), &options, "bostan-mori");
    options.last_cells = 8;
    expect_choice(make_line(1000000, 300, 3, PDP_ADD, 998244353), &options, "series");
    expect_choice(make_line(1000000, 300, 3, PDP_MIN, 0), &options, "window");
    options.decisions = 1;
    expect_choice(make_line(1000000, 300, 3, PDP_MIN, 0), &options, "blocks");
    options.decisions = 0;
    options.verify = 1;
    expect_choice(make_line(1000000, 300, 3, PDP_MIN, 0), &options, "blocks");
    options.verify = 0;
    options.type = "i32";
    expect_choice(make_long_chain(300), &options, "tiles");
    options.type = NULL;
    options.splits = 1;
    expect_choice(make_long_chain(300), &options, "tiles");
    options.splits = 0;
    options.algorithm = "sequential"; /* by name: whatever it takes */
    expect_choice(make_long_chain(300), &options, "sequential");
}

/* The table has no room: what does without is taken, however slow. */
static void test_memory(void **unused) {
    (void)unused;
    pdp_options options = make_options();
    options.memory_limit = 2 << 20;
    options.table = 0;
    options.last_cells = 8;
    pdp_rates_set(rates, PDP_RATE_PAGES, 1e15);
    expect_choice(make_line(1000000, 300, 3, PDP_MIN, 0), &options, "window");
    options.table = 1;
    pdp_plan *plan;
    pdp_problem *problem = make_line(1000000, 300, 3, PDP_MIN, 0);
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_NO_MEMORY);
    assert_in(pdp_plan_error(plan), "method 'blocks' needs");
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    pdp_rates_set(rates, PDP_RATE_PAGES, 6e9);
}

/* What blocks need for a line, of which its end is wanted and checked. */
static uint64_t find_bytes(pdp_options options) {
    pdp_problem *problem = make_line(1000000, 300, 3, PDP_MIN, 0);
    pdp_plan *plan;
    options.algorithm = "blocks";
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    const uint64_t bytes = pdp_plan_bytes(plan);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    return bytes;
}

/* The table alone has room, but not what comes with it: the next way is taken, and never is more memory worse. */
static void test_memory_beside_the_table(void **unused) {
    (void)unused;
    need_kernels();
    pdp_options options = make_options();
    options.table = 0;
    options.last_cells = 8;
    options.verify = 1;
    const uint64_t bytes = find_bytes(options);
    for (uint64_t limit = bytes - 1; limit > 4000000; limit -= 10007) {
        options.memory_limit = limit;
        expect_choice(make_line(1000000, 300, 3, PDP_MIN, 0), &options, "window");
    }
    options.memory_limit = bytes;
    expect_choice(make_line(1000000, 300, 3, PDP_MIN, 0), &options, "blocks");
    /* So it is where a choice would not pay. */
    options = make_options();
    options.table = 0;
    options.memory_limit = 50000;
    expect_choice(make_line(50000, 2, 1, PDP_ADD, 998244353), &options, "bostan-mori");
}

/* Auto speaks of window where that has room, and only there; a method by name does not. */
static void test_memory_for_window(void **unused) {
    (void)unused;
    static const char hint[] = "without table and decisions method 'window' needs less";
    pdp_options options = make_options();
    pdp_problem *problem = make_line(1000000, 300, 3, PDP_MIN, 0);
    for (int kind = 0; kind < 4; kind++) {
        pdp_plan *plan;
        options.table = kind != 1;
        options.decisions = kind == 1;
        options.memory_limit = kind == 2 ? 1000 : 2 << 20;
        options.algorithm = kind == 3 ? "sequential" : NULL;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_NO_MEMORY);
        assert_int_equal(strstr(pdp_plan_error(plan), hint) != NULL, kind < 2);
        pdp_plan_free(plan);
    }
    pdp_problem_free(problem);
}

/* A line by a recurrence that nobody has compiled. */
static pdp_recurrence *parse_own(const char *clauses) {
    char text[300];
    const int length = snprintf(text, sizeof text,
                                "linear own\n  param n >= 1\n  input a[k] >= 1\n  size n\n  missing skip\n"
                                "  offset a[j]\n  %s\n",
                                clauses);
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_parse(&recurrence, text, (size_t)length), PDP_OK);
    return recurrence;
}

static pdp_problem *make_own(const pdp_recurrence *recurrence, int64_t n) {
    static const int64_t offsets[] = {9, 5, 4};
    pdp_problem *problem;
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "n", &n, 1, 0), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "a", offsets, 3, 0), PDP_OK);
    return problem;
}

/* A recurrence that nobody has compiled: interpreted if that is over sooner than a compiler. */
static void test_compile_time(void **unused) {
    (void)unused;
    pdp_options options = make_options();
    pdp_recurrence *recurrence = parse_own("source i*i\n  term 3*s + 1\n  combine max");
    for (int64_t n = 100000; n <= 100000000; n *= 1000) {
        pdp_problem *problem = make_own(recurrence, n);
        pdp_plan *plan;
        options.explain = 1;
        options.algorithm = "sequential"; /* so that no compiler starts */
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        pdp_candidate first;
        assert_true(pdp_plan_candidate(plan, 0, &first));
        assert_string_equal(first.algorithm, n == 100000 ? "sequential" : "blocks");
        assert_true(n == 100000 || strstr(first.reason, "to compile its kernel"));
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    pdp_recurrence_free(recurrence);
}

/* Few terms, but of a type that no kernel is there for: what needs none is taken, whether or not one may be compiled.
 */
static void test_small_with_a_type(void **unused) {
    (void)unused;
    pdp_recurrence *recurrence = parse_own("preset 1 : 7\n  term s + 1\n  combine min");
    pdp_options options = make_options();
    options.type = "f64";
    for (options.compile = 0; options.compile <= 1; options.compile++) {
        pdp_problem *problem = make_own(recurrence, 1000);
        pdp_plan *plan;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        assert_string_equal(pdp_plan_algorithm(plan), "runs");
        assert_string_equal(pdp_plan_type(plan), "f64");
        assert_string_equal(pdp_plan_note(plan), "");
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    /* The interpreter has a type of its own, wherever it stands in for a kernel. */
    static const char *const methods[] = {"window", "sequential"};
    options.compile = 0;
    for (size_t m = 0; m < 2; m++) {
        pdp_problem *problem = make_own(recurrence, 1000);
        pdp_plan *plan;
        options.algorithm = methods[m];
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
        assert_in(pdp_plan_error(plan), "computes with checked, not with f64");
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    pdp_recurrence_free(recurrence);
}

/* ---- What is told ---- */

/* The candidate of a method on the CPU. */
static pdp_candidate find_candidate(const pdp_plan *plan, const char *method) {
    pdp_candidate candidate = {0};
    size_t x = 0;
    while (pdp_plan_candidate(plan, x, &candidate) && strcmp(candidate.algorithm, method) != 0) {
        x++;
    }
    assert_string_equal(candidate.algorithm, method);
    return candidate;
}

/* Without a kernel an engine is no way, and the plain loops that stand in for it check what need not be. */
static void test_told_without_kernel(void **unused) {
    (void)unused;
    pdp_recurrence *recurrence = parse_own("preset 1 : 7\n  term s + j\n  combine min");
    pdp_problem *problem = make_own(recurrence, 100000);
    pdp_options options = make_options();
    pdp_plan *plan;
    const char *about;
    options.explain = 1;
    options.compile = 0;
    options.last_cells = 8;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_string_equal(pdp_plan_algorithm(plan), "sequential");
    assert_string_equal(pdp_plan_note(plan), "interpreted, which is slow: compiling is switched off");
    assert_string_equal(pdp_plan_reason(plan, 0, &about), "sequential is the only way to what is asked for");
    assert_in(pdp_plan_reason(plan, 1, &about), "checked: sequential checks every value, though it is proven");
    pdp_candidate candidate = find_candidate(plan, "blocks");
    assert_true(candidate.refused);
    assert_string_equal(candidate.reason, "it has no kernel, and compiling is switched off");
    candidate = find_candidate(plan, "bostan-mori"); /* that it computes one cell alone is the lesser reason */
    assert_string_equal(candidate.reason, "it is for sums, by the operator add");
    candidate = find_candidate(plan, "sequential");
    assert_true(candidate.chosen && candidate.bytes == pdp_plan_bytes(plan));
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    pdp_recurrence_free(recurrence);
}

/* What a list has of the chosen method is what the plan needs, scratch and all. */
static void test_told_bytes(void **unused) {
    (void)unused;
    need_kernels();
    pdp_options options = make_options();
    pdp_problem *problem = make_line(100000, 300, 3, PDP_MIN, 0);
    pdp_plan *plan;
    options.explain = 1;
    options.algorithm = "blocks";
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_true(find_candidate(plan, "blocks").bytes == pdp_plan_bytes(plan));
    assert_true(find_candidate(plan, "sequential").bytes > 100000 * sizeof(int64_t));
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

static void test_candidates(void **unused) {
    (void)unused;
    pdp_options options = make_options();
    pdp_problem *problem = make_line(400000, 200000, 2, PDP_MIN, 0);
    pdp_candidate candidate, last = {0};
    const char *about;
    pdp_plan *plan;
    options.explain = 1;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    size_t count = 0, chosen = 0, refused = 0;
    for (; pdp_plan_candidate(plan, count, &candidate); count++, last = candidate) {
        chosen += candidate.chosen != 0;
        refused += candidate.refused != 0;
        assert_true(candidate.chosen == (count == 0));
        assert_true(candidate.refused ? candidate.reason[0] != '\0' : candidate.seconds >= last.seconds);
        assert_true(candidate.refused ||
                    candidate.operations / pdp_rates_get(rates, (size_t)candidate.rate) <= candidate.seconds);
    }
    assert_int_equal(count, 7); /* all but those for study */
    assert_int_equal(chosen, 1);
    assert_int_equal(refused, 3);
    assert_in(pdp_plan_reason(plan, 0, &about), "settle is predicted to be the fastest of 4 ways");
    assert_string_equal(about, "choice");
    assert_in(pdp_plan_reason(plan, 1, &about), "nothing is beyond 999");
    assert_in(pdp_plan_reason(plan, 2, &about), "settle has no tiles");
    assert_in(pdp_plan_reason(plan, 3, &about), " bytes are needed");
    assert_in(pdp_plan_reason(plan, 4, &about), "cpu is asked for");
    assert_null(pdp_plan_reason(plan, 5, &about));
    pdp_plan_free(plan);

    options.explain = 0;
    options.algorithm = "blocks";
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_false(pdp_plan_candidate(plan, 0, &candidate));
    assert_null(pdp_plan_reason(plan, 0, &about));
    assert_null(about);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    assert_false(pdp_plan_candidate(NULL, 0, &candidate));
}

/* ---- Where rates come from ---- */

static double read_settle(void) {
    pdp_rates *found;
    assert_int_equal(pdp_rates_create(&found, 0), PDP_OK);
    const double rate = pdp_rates_get(found, PDP_RATE_SETTLE);
    assert_int_equal(pdp_rates_are_measured(found), rate == 12345);
    pdp_rates_free(found);
    return rate;
}

static char *read_file(size_t *size) {
    static char text[8192];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    *size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[*size] = '\0';
    return text;
}

static void write_file(const char *text, size_t size) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void test_file(void **unused) {
    (void)unused;
    const double standard = read_settle();
    pdp_rates *own;
    assert_int_equal(pdp_rates_create(&own, 1), PDP_OK);
    assert_int_equal(pdp_rates_set(own, PDP_RATE_SETTLE, 12345), PDP_OK);
    assert_int_equal(pdp_rates_save(own), PDP_OK);
    assert_true(read_settle() == 12345);
    size_t size;
    const char *text = read_file(&size);
    char copy[8192];
    /* Cut off anywhere, or with anything changed that matters, it counts for nothing. */
    memcpy(copy, text, size + 1);
    for (size_t cut = 0; cut < size; cut += cut < 40 ? 1 : 37) {
        write_file(copy, cut);
        assert_true(read_settle() == standard);
    }
    static const char *const changes[][2] = {{"pipedp rates", "pipedp raten"},
                                             {"weights 2", "weights 1"},
                                             {"settle: 12345", "settle: -2345"},
                                             {"settle: 12345", "settle: nan\n\n"},
                                             {"settle: 12345", "settle: 1e500"},
                                             {"settle: 12345", "sattle: 12345"},
                                             {"knuth: ", "knuth; "}};
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        char *changed = strstr(copy, changes[c][0]);
        assert_non_null(changed);
        memcpy(changed, changes[c][1], strlen(changes[c][1]));
        write_file(copy, strlen(copy));
        assert_true(read_settle() == standard);
        memcpy(changed, changes[c][0], strlen(changes[c][0]));
    }
    memcpy(copy + size, "more: 1\n", sizeof "more: 1\n");
    write_file(copy, strlen(copy));
    assert_true(read_settle() == standard);

    assert_int_equal(pdp_rates_save(own), PDP_OK); /* another machine's, and one that others may write */
    memcpy(copy, read_file(&size), sizeof copy);
    char *model = strchr(copy, '\n') + 1;
    *model = '?';
    write_file(copy, size);
    assert_true(read_settle() == standard);
    assert_int_equal(pdp_rates_save(own), PDP_OK);
    assert_int_equal(chmod(path, 0666), 0);
    assert_true(read_settle() == standard);
    assert_int_equal(pdp_rates_save(own), PDP_OK);
    assert_true(read_settle() == 12345);
    assert_int_equal(chmod(path, 0), 0);
    assert_true(geteuid() == 0 || read_settle() == standard);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_true(read_settle() == standard);
    assert_int_equal(unlink(path), 0);
    pdp_rates_free(own);
}

static void test_bad_rates(void **unused) {
    (void)unused;
    pdp_rates *own;
    assert_int_equal(pdp_rates_create(&own, 1), PDP_OK);
    assert_int_equal(pdp_rates_set(own, PDP_RATE_COUNT, 1), PDP_BAD_INPUT);
    assert_int_equal(pdp_rates_set(own, 0, 0), PDP_BAD_INPUT);
    assert_in(pdp_rates_error(own), "rate 0 is 0");
    assert_null(pdp_rates_name(PDP_RATE_COUNT));
    pdp_rates_free(own);
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    assert_int_equal(pdp_rates_create(&own, 0), PDP_OK);
    assert_int_equal(pdp_rates_save(own), PDP_IO);
    assert_in(pdp_rates_error(own), "no cache folder");
    pdp_rates_free(own);
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_string_equal(pdp_rates_error(NULL), "out of memory");
    assert_int_equal(pdp_rates_set(NULL, 0, 1), PDP_NO_MEMORY);
    assert_int_equal(pdp_rates_save(NULL), PDP_NO_MEMORY);
}

static int set_up(void **unused) {
    (void)unused;
    unsetenv("PIPEDP_GPU_TERMS");
    if (!mkdtemp(folder) || pdp_rates_create(&rates, 1) != PDP_OK) {
        return -1;
    }
    pdp_rates_set_defaults(rates, PDP_LEVEL_V4);
    snprintf(path, sizeof path, "%s/pipedp/rates", folder);
    return setenv("XDG_CACHE_HOME", folder, 1);
}

static int tear_down(void **unused) {
    (void)unused;
    char inner[PATH_SIZE];
    snprintf(inner, sizeof inner, "%s/pipedp", folder);
    pdp_rates_free(rates);
    return rmdir(inner) != 0 || rmdir(folder) != 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_asked_for),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_beside_the_table),
        cmocka_unit_test(test_memory_for_window),
        cmocka_unit_test(test_compile_time),
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_small_with_a_type),
        cmocka_unit_test(test_told_without_kernel),
        cmocka_unit_test(test_told_bytes),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_bad_rates),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
