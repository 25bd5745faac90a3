/* What a run allocates, counted; and what happens when an allocation is refused. The linker's --wrap
 * leads the library's malloc, calloc, realloc, posix_memalign and free through here. */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
void __wrap_free(void *memory);

/* Blocks that are alive, with the sizes that were asked for. */
enum { MOST_BLOCKS = 256 };

static struct {
    bool on;
    void *block[MOST_BLOCKS];
    size_t size[MOST_BLOCKS];
    size_t blocks;
    size_t bytes; /* alive */
    size_t peak;
    size_t allocations; /* so far */
    size_t refuse;      /* the number of the allocation to refuse, from 1; 0: none */
    bool refuse_rest;   /* and all after it */
    size_t refused;
} counter;

static void start_counting(size_t refuse, bool refuse_rest) {
    memset(&counter, 0, sizeof counter);
    counter.refuse = refuse;
    counter.refuse_rest = refuse_rest;
    counter.on = true;
}

/* Engines may allocate in several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_refused(void) {
    if (!counter.on) {
        return false;
    }
    pthread_mutex_lock(&lock);
    counter.allocations++;
    bool refused = counter.refuse > 0 && (counter.allocations == counter.refuse ||
                                          (counter.refuse_rest && counter.allocations > counter.refuse));
    counter.refused += refused;
    pthread_mutex_unlock(&lock);
    return refused;
}

static void *note(void *block, size_t size) {
    if (counter.on && block) {
        pthread_mutex_lock(&lock);
        assert_true(counter.blocks < MOST_BLOCKS);
        counter.block[counter.blocks] = block;
        counter.size[counter.blocks++] = size;
        counter.bytes += size;
        counter.peak = counter.bytes > counter.peak ? counter.bytes : counter.peak;
        pthread_mutex_unlock(&lock);
    }
    return block;
}

static void forget(const void *block) {
    pthread_mutex_lock(&lock);
    for (size_t b = 0; block && b < counter.blocks; b++) {
        if (counter.block[b] == block) {
            counter.bytes -= counter.size[b];
            counter.block[b] = counter.block[--counter.blocks];
            counter.size[b] = counter.size[counter.blocks];
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

void *__wrap_malloc(size_t size) {
    return is_refused() ? NULL : note(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return is_refused() ? NULL : note(__real_calloc(count, size), count * size);
}

void *__wrap_realloc(void *memory, size_t size) {
    if (is_refused()) {
        return NULL;
    }
    forget(memory);
    return note(__real_realloc(memory, size), size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    if (is_refused()) {
        return ENOMEM;
    }
    int code = __real_posix_memalign(memory, alignment, size);
    note(code == 0 ? *memory : NULL, size);
    return code;
}

void __wrap_free(void *memory) {
    forget(memory);
    __real_free(memory);
}

/* ---- The peak ---- */

static int do_nothing(void *context, const pdp_step *step) {
    (void)context;
    (void)step;
    return 0;
}

/* The peak of a run is never above the plan's bytes, and not far below them where the table counts. */
static void check_run(const pdp_problem *problem, const pdp_options *options, double least_share) {
    pdp_plan *plan;
    pdp_status status = pdp_plan_create(&plan, problem, options);
    CHECK(status == PDP_OK, "%s", pdp_plan_error(plan));
    const size_t planned = (size_t)pdp_plan_bytes(plan);
    start_counting(0, false);
    pdp_solution *solution;
    status = pdp_plan_run(plan, &solution);
    const size_t peak = counter.peak;
    pdp_solution_free(solution);
    counter.on = false;
    CHECK(status == PDP_OK, "%s: status %d", options->algorithm, (int)status);
    CHECK(counter.blocks == 0, "%s: %zu blocks are left", options->algorithm, counter.blocks);
    CHECK(peak <= planned && (double)peak >= least_share * (double)planned,
          "%s, record %d, splits %d, threads %d, decisions %d: peak %zu, planned %zu", options->algorithm,
          options->record, options->splits, options->threads, options->decisions, peak, planned);
    pdp_plan_free(plan);
}

static mcm_instance chain;
static sdp_instance s;

static void check_peak(const pdp_problem *problem, pdp_shape kind, double least_share) {
    static const int threads[] = {1, 2, 3, 8};
    for (size_t m = 0; m < method_count(kind); m++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = pdp_algorithm_name(kind, m);
        const bool records = method_records(options.algorithm);
        if (kind == PDP_LINEAR ? !method_takes(options.algorithm, &s) : !method_solves(problem, options.algorithm)) {
            continue;
        }
        for (int variant = 0; variant < (records ? 8 : 16); variant++) {
            options.record = variant % 2 && records;
            options.splits = variant / 2 % 2 && method_has_table(options.algorithm);
            options.on_step = variant / 4 % 2 ? do_nothing : NULL;
            options.decisions = variant / 8 == 0;
            options.verify = variant % 3 == 0 && strcmp(options.algorithm, "pipeline-printed") != 0;
            options.threads = threads[variant % 4];
            /* Engines plan for every thread and offset that there may be; checks come after, or at the same time. */
            check_run(problem, &options, options.verify ? 0 : records ? least_share : least_share * 0.6);
        }
    }
}

/* Piles to be merged, as many as the chain has dimensions. */
static pdp_status make_merge(pdp_problem **problem) {
    pdp_recurrence *recurrence;
    *problem = NULL;
    pdp_status status = pdp_recurrence_load(&recurrence, "merge");
    if (status == PDP_OK) {
        status = pdp_problem_create(problem, recurrence);
    }
    if (status == PDP_OK) {
        pdp_problem_set_whole(*problem, "w", chain.dims, chain.n + 1, 0);
        status = pdp_problem_check(*problem);
    }
    pdp_recurrence_free(recurrence);
    return status;
}

/* Chains of many sizes in one plan. */
static void check_batch_peak(const pdp_options *options, double least_share, uint64_t *state) {
    static const size_t sizes[] = {3, 120, 70, 1, 300, 120, 64, 130, 90, 2};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    pdp_problem *problems[COUNT];
    pdp_solution *solutions[COUNT];
    pdp_plan *plan;
    for (size_t x = 0; x < COUNT; x++) {
        random_chain(&chain, state, sizes[x], 50);
        problems[x] = make_mcm(&chain);
    }
    pdp_status status = pdp_plan_batch(&plan, problems, COUNT, options);
    CHECK(status == PDP_OK, "%s", pdp_plan_error(plan));
    const size_t planned = (size_t)pdp_plan_bytes(plan);
    start_counting(0, false);
    status = pdp_plan_run_batch(plan, solutions);
    const size_t peak = counter.peak;
    for (size_t x = 0; x < COUNT; x++) {
        pdp_solution_free(solutions[x]);
        pdp_problem_free(problems[x]);
    }
    counter.on = false;
    CHECK(status == PDP_OK, "%s: status %d", options->algorithm, (int)status);
    CHECK(peak <= planned && (double)peak >= least_share * (double)planned,
          "batch by %s, threads %d, table %d, decisions %d: peak %zu, planned %zu", options->algorithm,
          options->threads, options->table, options->decisions, peak, planned);
    pdp_plan_free(plan);
}

static void test_batch_peak(void **unused) {
    (void)unused;
    static const int threads[] = {1, 2, 3, 8};
    static const char *const methods[] = {"sequential", "tiles", "hu-shing"};
    uint64_t state = test_seed();
    for (int variant = 0; variant < 48; variant++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = methods[variant / 16];
        options.threads = threads[variant % 4];
        options.table = variant / 4 % 2;
        options.decisions = variant / 8 % 2;
        check_batch_peak(&options, options.table && variant < 32 ? 0.5 : 0, &state);
    }
}

static void test_peak(void **unused) {
    (void)unused;
    uint64_t state = test_seed();
    static const size_t chains[] = {1, 2, 3, 10, 120};
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        random_chain(&chain, &state, chains[c], 50);
        pdp_problem *problem = make_mcm(&chain);
        check_peak(problem, PDP_INTERVAL, chains[c] < 100 ? 0 : 0.8);
        pdp_problem_free(problem);
        assert_int_equal(make_merge(&problem), PDP_OK);
        for (int variant = 0; variant < 16; variant++) {
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.algorithm = "knuth";
            options.splits = variant % 2;
            options.decisions = variant / 2 % 2;
            options.table = variant / 4 % 2;
            options.compile = variant / 8 % 2;
            options.verify = variant % 3 == 0;
            check_run(problem, &options, chains[c] < 100 || options.verify ? 0 : 0.5);
        }
        pdp_problem_free(problem);
    }
    static const size_t tables[][3] = {{1, 1, 1},       {2, 1, 1},         {5, 5, 5},     {300, 7, 90},
                                       {400, 300, 301}, {20000, 200, 220}, {20000, 1, 1}, {20000, 2, 2}};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        random_offsets(&s, &state, tables[t][1], tables[t][2]);
        random_presets(&s, &state, -5, 5);
        s.n = tables[t][0];
        for (int sums = 0; sums < 2; sums++) {
            s.op = sums ? PDP_ADD : PDP_MIN;
            s.overflow = sums ? PDP_OVERFLOW_WRAP : PDP_OVERFLOW_ERROR;
            pdp_problem *problem = make_sdp(&s);
            check_peak(problem, PDP_LINEAR, s.n < 1000 ? 0 : 0.4);
            pdp_problem_free(problem);
        }
    }
}

/* ---- Refused allocations ---- */

/* A status may be success or no memory, and then says so. */
static bool failed(pdp_status status, const char *text) {
    assert_true(status == PDP_OK || status == PDP_NO_MEMORY);
    assert_true((status == PDP_OK) == (*text == '\0'));
    return status != PDP_OK;
}

typedef bool work_function(size_t method); /* does something, and tells whether it failed */

/* Plans, runs and reads a problem, which is freed here. */
static bool solve_with(pdp_status status, pdp_problem *problem, const pdp_options *options) {
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    bool fails = failed(status, pdp_problem_error(problem));
    if (!fails) {
        status = pdp_plan_create(&plan, problem, options);
        fails = failed(status, pdp_plan_error(plan));
    }
    if (!fails) {
        status = pdp_plan_run(plan, &solution);
        fails = failed(status, pdp_solution_error(solution));
    }
    if (!fails) {
        char *report = pdp_solution_report(solution);
        free(report);
        fails = !pdp_solution_is_real(solution) && method_has_table(pdp_plan_algorithm(plan)) &&
                !pdp_solution_table(solution, NULL, NULL);
    }
    if (!fails && options->splits) {
        char *order = pdp_solution_order(solution);
        fails = !order;
        free(order);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    return fails;
}

static pdp_options options_for(pdp_shape kind, size_t method) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    const size_t count = method_count(kind);
    options.algorithm = pdp_algorithm_name(kind, method % count);
    options.record = method >= count && method_records(options.algorithm);
    options.splits = kind == PDP_INTERVAL && method >= count && method_has_table(options.algorithm);
    options.on_step = do_nothing;
    options.threads = method >= count ? 2 : 1;
    options.verify = method >= count && strcmp(options.algorithm, "pipeline-printed") != 0;
    const bool has_type = !method_records(options.algorithm) && method_has_table(options.algorithm) &&
                          strcmp(options.algorithm, "series") != 0;
    options.type = has_type ? "i32" : NULL;
    return options;
}

static bool do_mcm(size_t method) {
    pdp_options options = options_for(PDP_INTERVAL, method);
    pdp_problem *problem;
    if (strcmp(options.algorithm, "knuth") == 0) { /* which is for sums alone */
        options.type = NULL;
        pdp_status status = make_merge(&problem);
        return solve_with(status, problem, &options);
    }
    pdp_status status = pdp_problem_create_mcm(&problem, chain.dims, chain.n + 1);
    return solve_with(status, problem, &options);
}

static bool do_sdp(size_t method) {
    const pdp_options options = options_for(PDP_LINEAR, method);
    s.op = PDP_MIN;
    s.overflow = PDP_OVERFLOW_ERROR;
    const bool is_sum = !method_takes(options.algorithm, &s);
    pdp_sdp sdp = {s.n, s.offsets, s.k, s.presets, (size_t)s.offsets[0], PDP_MIN, PDP_OVERFLOW_ERROR, 0};
    sdp.op = is_sum ? PDP_ADD : PDP_MIN;
    sdp.overflow = is_sum ? PDP_OVERFLOW_WRAP : PDP_OVERFLOW_ERROR;
    pdp_problem *problem;
    pdp_status status = pdp_problem_create_sdp(&problem, &sdp);
    return solve_with(status, problem, &options);
}

/* The whole road of a user's own recurrence, interpreted, and by a kernel that lies in the cache. */
static bool do_road(size_t method) {
    static const char *const texts[2] = {
        "interval own\n input w[n] >= 0\n param loop >= 0 = 2\n size n+1\n empty 0\n leaf w[i]\n"
        " let half(x) = x/2\n term l + r + half(w[k])\n option inside + 7 if j-i > loop\n"
        " finish best + sum(w, i, j)\n combine min\n report tree\n",
        "linear own\n input w[k] >= 1\n param n >= 1\n size n\n preset 1 : 0\n missing skip\n offset w[j]\n"
        " term s + w[j]/2\n combine max\n report items w\n"};
    static const int64_t weights[] = {3, 1, 4, 1, 5, 9, 2, 6};
    const char *text = texts[method % 2];
    const int64_t n = 40;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = method / 2 == 0 ? "sequential" : method % 2 == 0 ? "tiles" : "blocks";
    pdp_recurrence *recurrence = NULL;
    pdp_problem *problem = NULL;
    pdp_status status = pdp_recurrence_parse(&recurrence, text, strlen(text));
    bool fails = failed(status, pdp_recurrence_error(recurrence));
    if (!fails) {
        status = pdp_problem_create(&problem, recurrence);
        fails = failed(status, pdp_problem_error(problem));
    }
    pdp_recurrence_free(recurrence);
    if (fails) {
        pdp_problem_free(problem);
        return true;
    }
    pdp_problem_set_whole(problem, "w", weights, 8, 0);
    if (method % 2 == 1) {
        pdp_problem_set_whole(problem, "n", &n, 1, 0);
    }
    return solve_with(pdp_problem_check(problem), problem, &options);
}

static bool do_batch(size_t method) {
    static const int64_t dims[] = {3, 1, 4, 1, 5, 9, 2, 6};
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_problem *problems[2] = {NULL, NULL};
    pdp_solution *solutions[2] = {NULL, NULL};
    pdp_plan *plan = NULL;
    options.algorithm = method % 2 == 0 ? "tiles" : "hu-shing";
    options.table = method % 2 == 0;
    pdp_status status = pdp_problem_create_mcm(&problems[0], dims, 8);
    bool fails = failed(status, pdp_problem_error(problems[0]));
    if (!fails) {
        status = pdp_problem_create_mcm(&problems[1], dims, 4);
        fails = failed(status, pdp_problem_error(problems[1]));
    }
    if (!fails) {
        status = pdp_plan_batch(&plan, problems, 2, &options);
        fails = failed(status, pdp_plan_error(plan));
    }
    if (!fails) {
        status = pdp_plan_run_batch(plan, solutions);
        assert_true(status == PDP_OK || status == PDP_NO_MEMORY);
        fails = status != PDP_OK;
        assert_true(fails == (*pdp_solution_error(solutions[0]) != '\0' || *pdp_solution_error(solutions[1]) != '\0'));
    }
    for (size_t x = 0; x < 2; x++) {
        pdp_solution_free(solutions[x]);
        pdp_problem_free(problems[x]);
    }
    pdp_plan_free(plan);
    return fails;
}

static bool do_texts(size_t method) {
    (void)method;
    pdp_recurrence *recurrence;
    pdp_status status = pdp_recurrence_load(&recurrence, "nussinov");
    bool fails = failed(status, pdp_recurrence_error(recurrence));
    char *printed = fails ? NULL : pdp_recurrence_print(recurrence);
    char *emitted = fails ? NULL : pdp_recurrence_emit(recurrence, "i32");
    free(printed);
    free(emitted);
    pdp_recurrence_free(recurrence);
    return fails || !printed || !emitted;
}

static bool do_failed_run(size_t method) {
    (void)method;
    pdp_solution *solution;
    pdp_status status = pdp_plan_run(NULL, &solution);
    assert_true(status == PDP_BAD_INPUT || status == PDP_NO_MEMORY);
    assert_true(*pdp_solution_error(solution) != '\0');
    pdp_solution_free(solution);
    return status == PDP_NO_MEMORY;
}

static bool do_numbers(size_t method) {
    static char text[4096];
    size_t length = 0;
    while (length + 3 < sizeof text) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%d ", (int)(length % 10));
    }
    pdp_numbers *numbers;
    pdp_status status = method == 2 ? pdp_numbers_read(&numbers, "/dev/null")
                                    : pdp_numbers_parse(&numbers, text, method == 0 ? length : method);
    bool fails = failed(status, pdp_numbers_error(numbers));
    pdp_numbers_free(numbers);
    return fails;
}

static bool do_file(size_t method) {
    (void)method;
    pdp_file *file;
    pdp_status status = pdp_file_create(&file, "/tmp/pipedp-memory-test");
    assert_true(status == PDP_OK || status == PDP_NO_MEMORY || status == PDP_IO);
    assert_true((status == PDP_OK) == (*pdp_file_error(file) == '\0'));
    pdp_file_free(file);
    return status != PDP_OK;
}

/* Refuses the first, second, ... allocation, alone and with all that follow, until none is left to
 * refuse. Each time the work fails, or can do without; it neither crashes nor leaks. */
static void check_refusals(work_function *work, size_t methods, size_t least_failures) {
    size_t failures = 0;
    for (size_t method = 0; method < methods; method++) {
        for (int refuse_rest = 0; refuse_rest < 2; refuse_rest++) {
            for (size_t refuse = 1;; refuse++) {
                start_counting(refuse, refuse_rest == 1);
                const bool fails = work(method);
                counter.on = false;
                assert_int_equal(counter.blocks, 0);
                failures += fails;
                if (counter.refused == 0) {
                    assert_false(fails);
                    break;
                }
            }
        }
    }
    assert_true(failures >= least_failures);
}

static void test_refusals(void **unused) {
    (void)unused;
    uint64_t state = test_seed();
    random_chain(&chain, &state, 12, 50);
    random_offsets(&s, &state, 7, 20);
    random_presets(&s, &state, -5, 5);
    s.n = 60;
    check_refusals(do_mcm, 16, 16 * 2 * 8);
    const size_t methods = 2 * method_count(PDP_LINEAR);
    check_refusals(do_sdp, methods, methods * 2 * 8);
    for (size_t method = 0; method < 4; method++) {
        assert_false(do_road(method)); /* compiles */
    }
    check_refusals(do_road, 4, 4 * 2 * 8);
    check_refusals(do_batch, 2, 2 * 2 * 8);
    check_refusals(do_texts, 1, 2);
    check_refusals(do_numbers, 3, 8);
    check_refusals(do_file, 1, 2);
    check_refusals(do_failed_run, 1, 2);
}

/* Byte counts saturate: what is too large for 64 bits is larger than every limit. */
static void test_byte_counts(void **unused) {
    (void)unused;
    assert_true(pdp_bytes_multiply(3, 5) == 15);
    assert_true(pdp_bytes_multiply(UINT64_C(1) << 32, UINT64_C(1) << 32) == UINT64_MAX);
    assert_true(pdp_bytes_multiply(UINT64_C(1) << 32, UINT64_C(1) << 31) == UINT64_C(1) << 63);
    assert_true(pdp_bytes_multiply(0, UINT64_MAX) == 0);
    assert_true(pdp_bytes_add(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(pdp_bytes_add(UINT64_MAX - 1, 1) == UINT64_MAX);
    assert_true(pdp_bytes_add(2, 3) == 5);
}

/* What is free is no more than the machine has, and, unless a control group says less, no less than half
 * of what the kernel calls unused. */
static void test_available(void **unused) {
    (void)unused;
    const uint64_t available = pdp_memory_available();
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    assert_true(available > 0 && available <= (uint64_t)sysconf(_SC_PHYS_PAGES) * page);
    char limit[32] = "max";
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (file) {
        assert_int_equal(fscanf(file, "%31s", limit), 1);
        fclose(file);
    }
    if (strcmp(limit, "max") == 0) {
        assert_true(available >= (uint64_t)sysconf(_SC_AVPHYS_PAGES) * page / 2);
    } else {
        assert_true(available <= strtoull(limit, NULL, 10));
    }
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peak),        cmocka_unit_test(test_batch_peak), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_byte_counts), cmocka_unit_test(test_available),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
