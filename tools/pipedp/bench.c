/* The benchmark command: what the inner update can do at most, what a textbook's loop does, and what we do, in turn. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__GLIBC__)
#include <limits.h>
#include <malloc.h>
#endif

#include "cli.h"
#include "json.h"
#include "option_value.h"

/* ---- Options ---- */

enum { KEY_PLOT = 1024, KEY_FULL, KEY_REPS, KEY_SEED };

static const struct argp_option shared_options[] = {
    {"n", 'n', "N,...", 0, "Sizes, as 4000 or 2^19", 0},
    {"type", 't', "TYPE,...", 0, "Types: i32, i64, f32, f64", 0},
    {"reps", KEY_REPS, "R", 0, "Rounds in which everyone has a turn (default 3)", 0},
    {"threads", 'T', "T", 0, "Threads of ours (default 1); with more, also the speed-up over one", 0},
    {"seed", KEY_SEED, "S", 0, "Seed of the data (default 1)", 0},
    {"full", KEY_FULL, 0, 0, "All that docs/performance.md shows; takes minutes", 0},
    {"json", 'j', 0, 0, "Write JSON", 0},
    {"plot", KEY_PLOT, "F.svg", 0, "Draw a picture too (needs gnuplot)", 0},
    {0},
};

const char *bench_parse_size(const char *text, uint64_t *out) {
    const char *power = strchr(text, '^');
    uint64_t exponent = 0;
    if (!power) {
        return option_parse_unsigned(text, out);
    }
    if (power != text + 1 || text[0] != '2' || option_parse_unsigned(power + 1, &exponent) || exponent > 40) {
        return "is neither a whole number nor 2^0 to 2^40";
    }
    *out = UINT64_C(1) << exponent;
    return NULL;
}

bool bench_next_item(const char **list, char *item, size_t size) {
    size_t length = strcspn(*list, ",");
    snprintf(item, size, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return length > 0;
}

const char *bench_find_unknown(const char *list, bool is_name(const char *name)) {
    static char item[BENCH_NAME_SIZE];
    if (list[0] == '\0') {
        return "";
    }
    while (bench_next_item(&list, item, sizeof item)) {
        if (!is_name(item)) {
            return item;
        }
    }
    return NULL;
}

bool bench_is_wanted(const char *list, const char *name) {
    char item[BENCH_NAME_SIZE];
    bool found = !list;
    while (list && bench_next_item(&list, item, sizeof item)) {
        found |= strcmp(item, name) == 0;
    }
    return found;
}

static void parse_sizes(struct argp_state *state, bench_options *options, const char *list) {
    char item[BENCH_NAME_SIZE];
    for (options->size_count = 0; bench_next_item(&list, item, sizeof item); options->size_count++) {
        if (options->size_count == BENCH_MOST_SIZES) {
            argp_error(state, "--n: at most %d sizes", BENCH_MOST_SIZES);
        }
        cli_check_value(state, "--n", item, bench_parse_size(item, &options->sizes[options->size_count]));
        if (options->sizes[options->size_count] < 8) {
            argp_error(state, "--n: '%s' is too small for a benchmark", item);
        }
    }
}

void bench_take_count(struct argp_state *state, const char *option, const char *text, uint64_t *out, uint64_t most) {
    cli_check_value(state, option, text, option_parse_unsigned(text, out));
    if (*out < 1 || *out > most) {
        argp_error(state, "%s: '%s' is not 1 to %" PRIu64, option, text, most);
    }
}

static error_t parse_shared(int key, char *argument, struct argp_state *state) {
    bench_options *options = state->input;
    switch (key) {
    case 'n': parse_sizes(state, options, argument); return 0;
    case 't': options->types = argument; return 0;
    case KEY_REPS: bench_take_count(state, "--reps", argument, &options->rounds, BENCH_MOST_ROUNDS); return 0;
    case 'T': bench_take_count(state, "--threads", argument, &options->threads, 4096); return 0;
    case KEY_SEED:
        cli_check_value(state, "--seed", argument, option_parse_unsigned(argument, &options->seed));
        return 0;
    case KEY_FULL: options->is_full = true; return 0;
    case 'j': options->json = true; return 0;
    case KEY_PLOT: options->plot = cli_path(argument); return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp bench_argp = {.options = shared_options, .parser = parse_shared};

/* ---- Time ---- */

double bench_seconds(bool on_the_wall) {
    struct timespec time;
    clock_gettime(on_the_wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Cycles a second: products that wait for each other take three each on every x86-64 processor. */
static double measure_clock(void) {
#if defined(__x86_64__)
    enum { TIMES = 1000000 };
    uint64_t x = 3;
    double start = bench_seconds(false);
    for (int t = 0; t < TIMES; t++) {
        __asm__ volatile("imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0" : "+r"(x));
    }
    return 12.0 * TIMES / (bench_seconds(false) - start);
#else
    return 0;
#endif
}

bench_spread bench_find_spread(const double *values, size_t count) {
    double sorted[BENCH_MOST_ROUNDS] = {0};
    for (size_t x = 0; x < count; x++) {
        size_t at = x;
        for (; at > 0 && sorted[at - 1] > values[x]; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = values[x];
    }
    return (bench_spread){(sorted[(count - 1) / 2] + sorted[count / 2]) / 2, sorted[0], sorted[count - 1]};
}

double bench_ratio(const bench_entry *one, const bench_entry *other, size_t rounds) {
    double ratios[BENCH_MOST_ROUNDS];
    for (size_t r = 0; r < rounds; r++) {
        ratios[r] = one->rates[r] / other->rates[r];
    }
    return bench_find_spread(ratios, rounds).median;
}

/* ---- Cases ---- */

bench_case *bench_newest(bench_report *report) {
    return &report->cases[report->case_count - 1];
}

bench_entry *bench_case_add(bench_case *one, const char *name, uint64_t n, double updates) {
    bench_entry *entry = &one->entries[one->entry_count++];
    *entry = (bench_entry){.n = n, .threads = 1, .updates = updates};
    snprintf(entry->name, sizeof entry->name, "%s", name);
    return entry;
}

/* The best rate of all shapes in this round, as the seconds that `updates` would take. */
static double run_ceiling(void *context) {
    bench_case *one = context;
    bench_entry *entry = &one->entries[0];
    double best = 0;
    for (size_t shape = 0; pdp_ceiling_shape(one->ceiling, shape); shape++) {
        double updates = 0;
        double seconds = 0;
        for (uint64_t rounds = 1024; seconds < 0.01; rounds *= 4) {
            double start = bench_seconds(false);
            updates = pdp_ceiling_run(one->ceiling, shape, rounds);
            seconds = bench_seconds(false) - start;
        }
        if (updates / seconds > best) {
            best = updates / seconds;
            snprintf(entry->detail, sizeof entry->detail, "%s", pdp_ceiling_shape(one->ceiling, shape));
        }
    }
    return entry->updates / best;
}

int bench_case_open(bench_report *report, const char *name, const pdp_plan *plan) {
    bench_case *cases = realloc(report->cases, (report->case_count + 1) * sizeof *cases);
    if (!cases) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    report->cases = cases;
    bench_case *one = &cases[report->case_count++];
    *one = (bench_case){.name = ""};
    snprintf(one->name, sizeof one->name, "%s", name);
    snprintf(one->type, sizeof one->type, "%s", pdp_plan_type(plan));
    pdp_status status = pdp_ceiling_create(&one->ceiling, plan);
    if (status != PDP_OK) {
        return cli_fail(cli_exit_code(status), "%s", pdp_ceiling_error(one->ceiling));
    }
    bench_case_add(one, "ceiling", 0, 1)->run = run_ceiling;
    return EXIT_DONE;
}

bench_value bench_take_value(const pdp_plan *plan, const pdp_solution *solution) {
    return (bench_value){.is_real = pdp_solution_is_real(solution) != 0,
                         .whole = pdp_solution_value(solution),
                         .real = pdp_solution_real_value(solution),
                         .slack = strcmp(pdp_plan_type(plan), "f32") == 0 ? 1e-4 : 1e-9};
}

bool bench_values_agree(const bench_value *one, const bench_value *other) {
    const double a = one->real, b = other->real;
    if (!one->is_real || !other->is_real) {
        return one->is_real == other->is_real && one->whole == other->whole;
    }
    return (a <= b && a >= b) || (isfinite(a) && isfinite(b) && fabs(a - b) <= one->slack * fmax(fabs(a), fabs(b)));
}

const char *bench_format_value(const bench_value *value, char text[BENCH_VALUE_SIZE]) {
    if (value->is_real) {
        snprintf(text, BENCH_VALUE_SIZE, "%.17g", value->real);
    } else {
        snprintf(text, BENCH_VALUE_SIZE, "%" PRId64, value->whole);
    }
    return text;
}

void bench_write_value(json *writer, const bench_value *value) {
    if (value->is_real) {
        json_put_exact(writer, "value", value->real);
    } else {
        json_put_integer(writer, "value", value->whole);
    }
}

double bench_run_solve(void *context) {
    const bench_solve *solve = context;
    pdp_solution *solution = NULL;
    double start = bench_seconds(solve->on_the_wall);
    pdp_status status = pdp_plan_run(solve->plan, &solution);
    double seconds = bench_seconds(solve->on_the_wall) - start;
    const bench_value value = bench_take_value(solve->plan, solution);
    char texts[2][BENCH_VALUE_SIZE];
    if (status != PDP_OK) {
        seconds = -cli_fail(cli_exit_code(status), "%s", pdp_solution_error(solution));
    } else if (!bench_values_agree(&value, &solve->value)) {
        seconds = -cli_fail(EXIT_MISMATCH, "mismatch: another run gave %s instead of %s",
                            bench_format_value(&value, texts[0]), bench_format_value(&solve->value, texts[1]));
    }
    pdp_solution_free(solution);
    return seconds;
}

void bench_keep_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

int bench_case_run(bench_case *one, const bench_options *options) {
    bench_keep_memory();
    one->entries[0].context = one; /* it has stopped moving */
    for (size_t round = 0; round < options->rounds; round++) {
        one->clock_rates[round] = measure_clock();
        for (size_t e = 0; e < one->entry_count; e++) {
            bench_entry *entry = &one->entries[e];
            double seconds = entry->run(entry->context);
            if (seconds < 0) {
                return (int)-seconds;
            }
            entry->rates[round] = entry->updates / seconds;
        }
    }
    return EXIT_DONE;
}

/* ---- Words ---- */

static void print_rate(const bench_entry *entry, size_t rounds) {
    bench_spread s = bench_find_spread(entry->rates, rounds);
    char name[BENCH_NAME_SIZE + 32];
    if (entry->n > 0) {
        snprintf(name, sizeof name, "%s, n = %" PRIu64, entry->name, entry->n);
    } else {
        snprintf(name, sizeof name, "%s", entry->name);
    }
    printf("  %-34s %8.3f  (%.3f .. %.3f)", name, 1e-9 * s.median, 1e-9 * s.least, 1e-9 * s.most);
}

static void print_bound(const bench_case *one, size_t rounds) {
    const char *assumed = NULL;
    const double bound = pdp_ceiling_port_bound(one->ceiling, &assumed);
    const double clock = bench_find_spread(one->clock_rates, rounds).median;
    if (bound > 0 && clock > 0) {
        printf("  %-34s %8.3f  %.2f a cycle at %.2f GHz, assuming %s\n", "port bound", 1e-9 * bound * clock, bound,
               1e-9 * clock, assumed);
    }
}

void bench_print_case(const bench_case *one, const bench_options *options) {
    const size_t rounds = options->rounds;
    if (options->json) {
        return;
    }
    printf("%s %s, on %s: G updates/s, median of %zu rounds (least .. most)\n", one->name, one->type, pdp_cpu_level(),
           rounds);
    for (size_t e = 0; e < one->entry_count; e++) {
        const bench_entry *entry = &one->entries[e];
        print_rate(entry, rounds);
        if (e > 0) {
            printf("  %5.1f %% of the ceiling", 100 * bench_ratio(entry, &one->entries[0], rounds));
        }
        for (size_t t = 0; t < one->entry_count && !entry->is_textbook && e > 0; t++) {
            const bench_entry *other = &one->entries[t];
            if (other->is_textbook) {
                printf(", %.1f x %s", bench_ratio(entry, other, rounds), other->name);
            } else if (t + 1 == e && entry->threads > 1) {
                printf(", %.2f x one thread", bench_ratio(entry, other, rounds));
            }
        }
        printf("%s%s\n", entry->detail[0] ? "  " : "", entry->detail);
        if (e == 0) {
            print_bound(one, rounds);
        }
    }
    printf("  verified: %s\n\n", one->verified);
    fflush(stdout);
}

/* ---- JSON ---- */

static void write_rates(json *writer, const double *rates, size_t rounds) {
    bench_spread s = bench_find_spread(rates, rounds);
    json_put_double(writer, "median", s.median);
    json_put_double(writer, "least", s.least);
    json_put_double(writer, "most", s.most);
    json_open_array(writer, "rates");
    for (size_t r = 0; r < rounds; r++) {
        json_put_double(writer, NULL, rates[r]);
    }
    json_close_array(writer);
}

static void write_entry(json *writer, const bench_case *one, const bench_entry *entry, size_t rounds) {
    json_open_object(writer, NULL);
    json_put_string(writer, "name", entry->name);
    json_put_string(writer, "detail", entry->detail);
    if (entry->n > 0) {
        json_put_unsigned(writer, "n", entry->n);
        json_put_integer(writer, "threads", entry->threads);
        json_put_double(writer, "updates", entry->updates);
    }
    write_rates(writer, entry->rates, rounds);
    json_put_double(writer, "of_ceiling", bench_ratio(entry, &one->entries[0], rounds));
    for (size_t t = 0; t < one->entry_count; t++) {
        if (one->entries[t].is_textbook && !entry->is_textbook && entry->n > 0) {
            char key[BENCH_NAME_SIZE + 8];
            snprintf(key, sizeof key, "times %s", one->entries[t].name);
            json_put_double(writer, key, bench_ratio(entry, &one->entries[t], rounds));
        }
    }
    json_close_object(writer);
}

static void write_case(json *writer, const bench_case *one, size_t rounds) {
    const char *assumed = NULL;
    const double bound = pdp_ceiling_port_bound(one->ceiling, &assumed);
    json_open_object(writer, NULL);
    json_put_string(writer, "problem", one->name);
    json_put_string(writer, "type", one->type);
    json_put_string(writer, "verified", one->verified);
    json_put_double(writer, "clock", bench_find_spread(one->clock_rates, rounds).median);
    if (bound > 0) {
        json_put_double(writer, "port_bound_a_cycle", bound);
        json_put_string(writer, "port_bound_assumes", assumed);
    }
    json_open_array(writer, "entries");
    for (size_t e = 0; e < one->entry_count; e++) {
        write_entry(writer, one, &one->entries[e], rounds);
    }
    json_close_array(writer);
    json_close_object(writer);
}

static void write_json(const bench_report *report) {
    json writer;
    json_begin(&writer, stdout);
    json_open_object(&writer, NULL);
    json_put_string(&writer, "command", report->command);
    json_put_string(&writer, "version", pdp_version());
    json_put_string(&writer, "cpu_level", pdp_cpu_level());
    json_put_string(&writer, "unit", "updates/s");
    json_put_unsigned(&writer, "rounds", report->options->rounds);
    json_open_array(&writer, "cases");
    for (size_t c = 0; c < report->case_count; c++) {
        write_case(&writer, &report->cases[c], report->options->rounds);
    }
    json_close_array(&writer);
    json_close_object(&writer);
    json_end(&writer);
}

int bench_report_finish(const bench_report *report) {
    if (report->options->json) {
        write_json(report);
    }
    return report->options->plot ? bench_plot(report, report->options->plot) : EXIT_DONE;
}

void bench_report_free(bench_report *report) {
    for (size_t c = 0; c < report->case_count; c++) {
        pdp_ceiling_free(report->cases[c].ceiling);
    }
    free(report->cases);
}

/* ---- Types ---- */

#define TYPE_FUNCTIONS(name, type)                                                                                     \
    static void put_##name(void *to, size_t at, int64_t value) {                                                       \
        ((type *)to)[at] = (type)value;                                                                                \
    }                                                                                                                  \
    static int64_t get_##name(const void *from, size_t at) {                                                           \
        return (int64_t)((const type *)from)[at];                                                                      \
    }
TYPE_FUNCTIONS(i32, int32_t)
TYPE_FUNCTIONS(i64, int64_t)
TYPE_FUNCTIONS(f32, float)
TYPE_FUNCTIONS(f64, double)
TYPE_FUNCTIONS(u32, uint32_t)

static const bench_type types[] = {
    {"i32", "int32_t", 4, 2147483647.0, put_i32, get_i32},  {"i64", "int64_t", 8, 9e18, put_i64, get_i64},
    {"f32", "float", 4, 16777216.0, put_f32, get_f32},      {"f64", "double", 8, 9007199254740992.0, put_f64, get_f64},
    {"mod", "uint32_t", 4, 4294967295.0, put_u32, get_u32},
};

const bench_type *bench_find_type(const char *name) {
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (strcmp(types[t].name, name) == 0) {
            return &types[t];
        }
    }
    return NULL;
}

void *bench_convert(const bench_type *type, const int64_t *values, size_t count) {
    void *out = calloc(count + 1, type->bytes);
    for (size_t x = 0; out && x < count; x++) {
        type->put(out, x, values[x]);
    }
    return out;
}

/* ---- The command ---- */

int command_bench(int argc, char **argv) {
    static const char usage[] =
        "Usage: pipedp bench interval|linear|methods|checks|planner|gpu|paper [OPTION...]\n"
        "How fast the inner update of a recurrence can be on this core or on a device, what a textbook's loop makes of "
        "it,\n"
        "and what we do, measured in turn. Results are verified before they are printed.\n\n"
        "  interval   M[i][j] = ... M[i][k], M[k][j]: matrix chains, search trees, RNA folding, a file of yours\n"
        "  linear     ST[i] = ... ST[i - a]: S-DP\n"
        "  methods    those that do without most of the terms, beside the engines\n"
        "  checks     what --verify takes beside the solve\n"
        "  planner    how far the method that is chosen is from the fastest\n"
        "  gpu        both on a GPU\n"
        "  paper      Table I of the paper, and its pipelines beside our engines\n\n"
        "pipedp bench interval --help and so on have the options.\n";
    static const struct {
        const char *name;
        char *full; /* what argp calls us */
        int (*run)(int argc, char **argv);
    } parts[] = {{"interval", "pipedp bench interval", bench_interval}, {"linear", "pipedp bench linear", bench_linear},
                 {"methods", "pipedp bench methods", bench_methods},    {"checks", "pipedp bench checks", bench_checks},
                 {"planner", "pipedp bench planner", bench_planner},    {"gpu", "pipedp bench gpu", bench_gpu},
                 {"paper", "pipedp bench paper", bench_paper}};
    const char *name = argc > 1 ? argv[1] : "";
    for (size_t x = 0; x < sizeof parts / sizeof *parts; x++) {
        if (strcmp(name, parts[x].name) == 0) {
            argv[1] = parts[x].full;
            return parts[x].run(argc - 1, argv + 1);
        }
    }
    const bool is_asked = strcmp(name, "--help") == 0 || strcmp(name, "-?") == 0;
    fputs(usage, is_asked ? stdout : stderr);
    if (argc > 1 && !is_asked) {
        cli_fail(EXIT_BAD_USE,
                 "'%s' is not a benchmark; there are interval, linear, methods, checks, planner, gpu and paper", name);
    }
    return is_asked ? EXIT_DONE : EXIT_BAD_USE;
}
