/* pipedp bench planner: how far the method that is chosen is from the fastest, on problems of all kinds. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "json.h"
#include "option_value.h"

enum { MOST_WAYS = 12, ROUNDS = 5, MOST_WORST = 5 };

/* Seconds of the method that is chosen, and what others may take at most, in its times. */
static const double least_seconds = 0.01, most_seconds = 0.5, cut_at = 3;

/* What is within the first is as good as the best; the second is never to be reached. */
static const double near_ratio = 1.25, far_ratio = 2;

typedef struct planner_arguments {
    uint64_t seed;
    uint64_t count;
    bool json;
} planner_arguments;

/* A method on a problem. */
typedef struct way {
    char name[BENCH_NAME_SIZE];
    double predicted;
    double seconds; /* the least of all rounds */
    bool is_cut;    /* it took longer than these */
    bench_value value;
} way;

typedef struct trial {
    uint64_t seed; /* with which it is the first problem */
    pdp_problem *problem;
    pdp_shape shape;
    char text[160]; /* the problem, and what is asked for, in words */
    pdp_options options;
    double deadline;     /* of the run that is on */
    way ways[MOST_WAYS]; /* the first is the one that is chosen */
    size_t way_count;
} trial;

/* ---- Problems ---- */

/* Log-uniform in low .. high. */
static int64_t draw(uint64_t *state, double low, double high) {
    const double share = (double)(pdp_random_next(state) >> 11) / (double)(UINT64_C(1) << 53);
    return (int64_t)(low * exp(share * log(high / low)));
}

static int64_t *draw_values(uint64_t *state, size_t count, int64_t low, int64_t high) {
    int64_t *values = malloc((count + 1) * sizeof *values);
    for (size_t x = 0; values && x < count; x++) {
        values[x] = pdp_random_between(state, low, high);
    }
    return values;
}

/* Offsets from `most` down, in runs and gaps whose lengths on average are drawn. */
static int64_t *draw_offsets(uint64_t *state, int64_t most, size_t *count) {
    const int64_t run = draw(state, 1, 300);
    const int64_t gap = draw(state, 1, (double)most + 1);
    int64_t *offsets = malloc((size_t)most * sizeof *offsets);
    *count = 0;
    for (int64_t v = most; offsets && v > 0;) {
        for (int64_t left = pdp_random_between(state, 1, 2 * run - 1); left > 0 && v > 0; left--) {
            offsets[(*count)++] = v--;
        }
        v -= pdp_random_between(state, 1, 2 * gap - 1);
    }
    return offsets;
}

/* A built-in recurrence, and which of its fields are what. */
typedef struct line_kind {
    const char *name;
    const char *op;      /* where it is open */
    const char *cells;   /* the parameter of the size; NULL: it has as many as its input "x" */
    const char *offsets; /* NULL: 1 .. k, by the weights */
    const char *weights; /* or NULL */
    const char *presets; /* as many as the largest offset; NULL: none */
    bool is_real;
} line_kind;

static const line_kind lines[] = {
    {"sdp_added", "min", "n", "a", "w", "init", false},
    {"coins", NULL, "amount", "coin", NULL, NULL, false},
    {"knapsack", NULL, "capacity", "weight", "value", NULL, false},
    {"rod", NULL, "length", NULL, "price", NULL, false},
    {"compositions_mod", NULL, "total", "part", NULL, NULL, false},
    {"lfsr", NULL, "n", "tap", NULL, "init", false},
    {"renewal", NULL, "time", NULL, "f", NULL, true},
    {"filter", NULL, NULL, "a", "w", NULL, true},
};

static void set_reals(pdp_problem *problem, const char *name, const int64_t *values, size_t count, double scale) {
    double *reals = malloc((count + 1) * sizeof *reals);
    for (size_t x = 0; reals && values && x < count; x++) {
        reals[x] = scale * (double)values[x];
    }
    pdp_problem_set_real(problem, name, reals, count, 0);
    free(reals);
}

/* Makes a problem of a recurrence with offsets that are drawn. */
static void make_line(trial *t, uint64_t *state, const line_kind *kind) {
    const int64_t n = draw(state, 1 << 12, 1 << 21);
    const int64_t most = draw(state, 1, (double)n / 2), high = draw(state, 1, 1e12);
    size_t count = 0;
    int64_t *offsets = draw_offsets(state, most, &count);
    count = kind->offsets ? count : (size_t)most;
    int64_t *presets = draw_values(state, (size_t)most, 0, high);
    int64_t *weights = draw_values(state, count, 0, high);
    int64_t *source = draw_values(state, (size_t)n, 0, high);
    pdp_recurrence *recurrence = NULL;
    const bool is_even = pdp_random_between(state, 0, 1) == 0; /* one weight for all offsets */
    for (size_t x = 0; weights && x < count && is_even; x++) {
        weights[x] = weights[0];
    }
    pdp_recurrence_load(&recurrence, kind->name);
    pdp_problem_create(&t->problem, recurrence);
    pdp_recurrence_free(recurrence);
    if (kind->op) {
        pdp_problem_set_text(t->problem, "op", kind->op, strlen(kind->op));
    }
    if (kind->cells) {
        pdp_problem_set_whole(t->problem, kind->cells, &n, 1, 0);
    } else {
        set_reals(t->problem, "x", source, (size_t)n, 1);
    }
    if (kind->offsets) {
        pdp_problem_set_whole(t->problem, kind->offsets, offsets, count, 0);
    }
    if (kind->weights && kind->is_real) {
        set_reals(t->problem, kind->weights, weights, count, 1 / ((double)high * (double)count));
    } else if (kind->weights) {
        pdp_problem_set_whole(t->problem, kind->weights, weights, count, 0);
    }
    if (kind->presets) {
        pdp_problem_set_whole(t->problem, kind->presets, presets, (size_t)most, 0);
    }
    snprintf(t->text, sizeof t->text, "%s, n = %" PRId64 ", %zu offsets up to %" PRId64 "%s, values to %.0e",
             kind->name, n, count, most, kind->weights && is_even ? " of one weight" : "", (double)high);
    free(offsets);
    free(presets);
    free(weights);
    free(source);
}

/* The paper's S-DP. */
static void make_sdp(trial *t, uint64_t *state) {
    static const struct {
        pdp_operator op;
        pdp_overflow overflow;
        int64_t modulus;
    } kinds[] = {{PDP_MIN, PDP_OVERFLOW_ERROR, 0},        {PDP_MAX, PDP_OVERFLOW_ERROR, 0},
                 {PDP_AND, PDP_OVERFLOW_ERROR, 0},        {PDP_OR, PDP_OVERFLOW_ERROR, 0},
                 {PDP_XOR, PDP_OVERFLOW_ERROR, 0},        {PDP_GCD, PDP_OVERFLOW_ERROR, 0},
                 {PDP_ADD, PDP_OVERFLOW_WRAP, 0},         {PDP_ADD, PDP_OVERFLOW_MOD, 998244353},
                 {PDP_ADD, PDP_OVERFLOW_MOD, 1000000007}, {PDP_MUL, PDP_OVERFLOW_MOD, 998244353}};
    const size_t kind = (size_t)pdp_random_between(state, 0, (int64_t)(sizeof kinds / sizeof *kinds) + 1);
    const size_t k = kind < sizeof kinds / sizeof *kinds ? kind : 0; /* min more often: it has the most methods */
    const int64_t n = draw(state, 1 << 12, 1 << 21);
    const int64_t most = draw(state, 1, (double)n / 2), high = draw(state, 1, 1e12);
    size_t count = 0;
    int64_t *offsets = draw_offsets(state, most, &count);
    int64_t *presets = draw_values(state, (size_t)most, 0, high);
    const pdp_sdp sdp = {.n = (size_t)n,
                         .offsets = offsets,
                         .offset_count = count,
                         .presets = presets,
                         .preset_count = (size_t)most,
                         .op = kinds[k].op,
                         .overflow = kinds[k].overflow,
                         .modulus = kinds[k].modulus};
    pdp_problem_create_sdp(&t->problem, &sdp);
    snprintf(t->text, sizeof t->text, "sdp %s%s, n = %" PRId64 ", %zu offsets up to %" PRId64 ", values to %.0e",
             pdp_operator_name(kinds[k].op),
             kinds[k].overflow == PDP_OVERFLOW_WRAP  ? " wrap"
             : kinds[k].overflow == PDP_OVERFLOW_MOD ? " mod"
                                                     : "",
             n, count, most, (double)high);
    free(offsets);
    free(presets);
}

static void make_interval(trial *t, uint64_t *state) {
    static const struct {
        const char *name;
        const char *inputs[2];
        size_t more; /* items than n in the last of them */
    } kinds[] = {{"mcm", {"p", NULL}, 0},
                 {"obst", {"p", "q"}, 1},
                 {"merge", {"w", NULL}, 0},
                 {"triangulation", {"x", "y"}, 0},
                 {"triangulation_product", {"v", NULL}, 0}};
    const size_t k = (size_t)pdp_random_between(state, 0, (int64_t)(sizeof kinds / sizeof *kinds) - 1);
    const size_t n = (size_t)draw(state, 200, t->options.table ? 3000 : 300000);
    const int64_t high = draw(state, 1, 1e4);
    pdp_recurrence *recurrence = NULL;
    pdp_recurrence_load(&recurrence, kinds[k].name);
    pdp_problem_create(&t->problem, recurrence);
    pdp_recurrence_free(recurrence);
    for (size_t x = 0; x < 2 && kinds[k].inputs[x]; x++) {
        const size_t count = n + (x == 1 ? kinds[k].more : 0);
        int64_t *values = draw_values(state, count, 1, high);
        pdp_problem_set_whole(t->problem, kinds[k].inputs[x], values, count, 0);
        free(values);
    }
    snprintf(t->text, sizeof t->text, "%s, n = %zu, values to %.0e", kinds[k].name, n, (double)high);
}

/* Any problem, and anything that may be asked for. */
static void make_any(trial *t, uint64_t *state) {
    const uint64_t seed = *state;
    const int64_t kind = pdp_random_between(state, 0, 3);
    *t = (trial){.seed = seed, .options = PDP_OPTIONS_DEFAULT};
    t->options.threads = 1;
    t->options.decisions = 0;
    t->options.explain = 1;
    t->options.backend = "cpu";
    t->options.table = (int)pdp_random_between(state, 0, 1);
    t->options.last_cells = t->options.table ? 0 : (uint64_t)pdp_random_between(state, 0, 1) * 8;
    if (kind == 0) {
        t->shape = PDP_INTERVAL;
        make_interval(t, state);
    } else if (kind == 1) {
        make_line(t, state, &lines[pdp_random_between(state, 0, (int64_t)(sizeof lines / sizeof *lines) - 1)]);
    } else {
        make_sdp(t, state);
    }
    const size_t used = strlen(t->text);
    snprintf(t->text + used, sizeof t->text - used, "; %s",
             t->options.table            ? "table"
             : t->options.last_cells > 0 ? "last cells"
                                         : "value");
}

/* ---- Measuring ---- */

/* Cancels a run that takes too long. */
static int look_at_clock(void *context, double share) {
    (void)share;
    return bench_seconds(false) > ((const trial *)context)->deadline;
}

/* Plan and solve, which may take so long; the first way by a plan that has to choose it. Exit codes. */
static int run_way(trial *t, size_t x, double most) {
    way *w = &t->ways[x];
    pdp_solution *solution = NULL;
    pdp_plan *plan = NULL;
    const double start = bench_seconds(false);
    t->deadline = start + most;
    t->options.algorithm = x == 0 ? NULL : w->name;
    pdp_status status = pdp_plan_create(&plan, t->problem, &t->options);
    const bool is_planned = status == PDP_OK;
    status = is_planned ? pdp_plan_run(plan, &solution) : status;
    const double seconds = bench_seconds(false) - start;
    int code = EXIT_DONE;
    if (status == PDP_OK) {
        w->seconds = seconds < w->seconds ? seconds : w->seconds;
        w->value = bench_take_value(plan, solution);
    } else if (status == PDP_CANCELLED && isinf(w->seconds)) { /* a round that was finished before is not lost */
        w->is_cut = true;
        w->seconds = seconds;
    } else if (status != PDP_CANCELLED) {
        code = cli_fail(cli_exit_code(status), "%s: %s: %s", t->text, w->name,
                        is_planned ? pdp_solution_error(solution) : pdp_plan_error(plan));
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

/* All ways, the chosen one first. False if there is no choice, or a solve is too short or too long. */
static bool make_ways(trial *t) {
    pdp_plan *plan = NULL;
    pdp_candidate candidate;
    t->options.algorithm = pdp_algorithm_name(t->shape, 1); /* the engine: its kernel is compiled before others look */
    (void)pdp_plan_create(&plan, t->problem, &t->options);
    pdp_plan_free(plan);
    t->options.algorithm = NULL;
    const bool is_good = pdp_plan_create(&plan, t->problem, &t->options) == PDP_OK;
    for (size_t x = 0; is_good && pdp_plan_candidate(plan, x, &candidate) && !candidate.refused; x++) {
        way *w = &t->ways[t->way_count++];
        *w = (way){.predicted = candidate.seconds, .seconds = (double)INFINITY};
        snprintf(w->name, sizeof w->name, "%s", candidate.algorithm);
        if (candidate.chosen) {
            const way chosen = *w;
            *w = t->ways[0];
            t->ways[0] = chosen;
        }
    }
    pdp_plan_free(plan);
    return t->way_count > 1 && t->ways[0].predicted > least_seconds / 3 && t->ways[0].predicted < most_seconds;
}

static double find_best(const trial *t) {
    double best = (double)INFINITY;
    for (size_t x = 0; x < t->way_count; x++) {
        best = !t->ways[x].is_cut && t->ways[x].seconds < best ? t->ways[x].seconds : best;
    }
    return best;
}

/* Everyone has a turn, and as many more as there are rounds if it comes near the best. */
static int measure(trial *t, bool *is_short) {
    char texts[2][BENCH_VALUE_SIZE];
    int code = EXIT_DONE;
    t->options.on_progress = look_at_clock;
    t->options.context = t;
    t->options.explain = 0;
    *is_short = false;
    for (int round = 0; round < ROUNDS && code == EXIT_DONE && !*is_short; round++) {
        for (size_t x = 0; x < t->way_count && code == EXIT_DONE && cli_interrupted() == 0; x++) {
            const double best = find_best(t);
            const bool is_near = x == 0 || round == 0 || (!t->ways[x].is_cut && t->ways[x].seconds < 2 * best);
            if (is_near) {
                code = run_way(t, x, x == 0 ? 60 : cut_at * best);
            }
            if (code == EXIT_DONE && !t->ways[x].is_cut && !bench_values_agree(&t->ways[x].value, &t->ways[0].value)) {
                code = cli_fail(EXIT_MISMATCH, "mismatch: %s: %s by %s, and %s by %s", t->text,
                                bench_format_value(&t->ways[0].value, texts[0]), t->ways[0].name,
                                bench_format_value(&t->ways[x].value, texts[1]), t->ways[x].name);
            }
        }
        *is_short = t->ways[0].seconds < least_seconds;
    }
    return code;
}

/* ---- Reporting ---- */

static double find_ratio(const trial *t) {
    return t->ways[0].seconds / find_best(t);
}

static void print_trial(const trial *t) {
    printf("%5.2f  %s:", find_ratio(t), t->text);
    for (size_t x = 0; x < t->way_count; x++) {
        const way *w = &t->ways[x];
        printf("%s %s %s%.1f (%.1f)", x > 0 ? "," : "", w->name, w->is_cut ? "> " : "", 1e3 * w->seconds,
               1e3 * w->predicted);
    }
    printf("\n");
    fflush(stdout);
}

static void write_trial(json *writer, const trial *t) {
    json_open_object(writer, NULL);
    json_put_string(writer, "problem", t->text);
    json_put_unsigned(writer, "seed", t->seed);
    bench_write_value(writer, &t->ways[0].value);
    json_put_double(writer, "ratio", find_ratio(t));
    json_open_array(writer, "methods");
    for (size_t x = 0; x < t->way_count; x++) {
        const way *w = &t->ways[x];
        json_open_object(writer, NULL);
        json_put_string(writer, "algorithm", w->name);
        json_put_double(writer, "predicted", w->predicted);
        json_put_double(writer, w->is_cut ? "at_least" : "seconds", w->seconds);
        json_close_object(writer);
    }
    json_close_array(writer);
    json_close_object(writer);
}

typedef struct summary {
    uint64_t count;
    uint64_t near;
    trial worst[MOST_WORST]; /* of the highest ratios, the worst first; their problems are gone */
    size_t worst_count;
} summary;

static void count_trial(summary *s, const trial *t) {
    const double ratio = find_ratio(t);
    s->count++;
    s->near += ratio <= near_ratio;
    size_t place = s->worst_count;
    while (place > 0 && find_ratio(&s->worst[place - 1]) < ratio) {
        place--;
    }
    if (place < MOST_WORST) {
        s->worst_count += s->worst_count < MOST_WORST;
        memmove(s->worst + place + 1, s->worst + place, (s->worst_count - 1 - place) * sizeof *s->worst);
        s->worst[place] = *t;
    }
}

static double find_worst(const summary *s) {
    return s->worst_count > 0 ? find_ratio(&s->worst[0]) : 0;
}

static void print_summary(const summary *s) {
    const double share = s->count > 0 ? (double)s->near / (double)s->count : 0;
    printf("\nthe worst, each with what repeats it:\n");
    for (size_t x = 0; x < s->worst_count; x++) {
        print_trial(&s->worst[x]);
        printf("       pipedp bench planner --count 1 --seed %" PRIu64 "\n", s->worst[x].seed);
    }
    printf("\n%" PRIu64
           " problems: the choice is within %.2f times the fastest for %.1f %% of them, at worst %.2f times\n"
           "wanted: 90 %%, and never %.0f times: %s\n",
           s->count, near_ratio, 100 * share, find_worst(s), far_ratio,
           share >= 0.9 && find_worst(s) < far_ratio ? "reached" : "not reached");
}

/* ---- The command ---- */

enum { KEY_SEED = 256, KEY_COUNT };

static const struct argp_option options[] = {
    {"seed", KEY_SEED, "S", 0, "Seed of the problems (default 1)", 0},
    {"count", KEY_COUNT, "N", 0, "How many problems (default 200)", 0},
    {"json", 'j', 0, 0, "Write JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    planner_arguments *arguments = state->input;
    switch (key) {
    case KEY_SEED:
        cli_check_value(state, "--seed", argument, option_parse_unsigned(argument, &arguments->seed));
        return 0;
    case KEY_COUNT:
        cli_check_value(state, "--count", argument, option_parse_unsigned(argument, &arguments->count));
        if (arguments->count < 1 || arguments->count > 100000) {
            argp_error(state, "--count: '%s' is not 1 to 100000", argument);
        }
        return 0;
    case 'j': arguments->json = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "How far the method that is chosen is from the fastest: random problems that take it 10 ms at least, of all "
           "shapes, sizes and types, each by every method that leaves what is asked for. Milliseconds of one core for "
           "plan and solve, the "
           "least of some rounds in turn, the chosen method first, with those predicted in parentheses.\vExamples:\n"
           "  pipedp bench planner --seed 7\n"
           "  pipedp bench planner --count 50 --json",
};

/* Draws problems until there are enough. */
static int run_trials(const planner_arguments *arguments, json *writer, summary *s) {
    uint64_t state = arguments->seed;
    int code = EXIT_DONE;
    while (s->count < arguments->count && code == EXIT_DONE && cli_interrupted() == 0) {
        trial t;
        bool is_short = true;
        make_any(&t, &state);
        if (make_ways(&t)) {
            code = measure(&t, &is_short);
        }
        if (code == EXIT_DONE && !is_short && cli_interrupted() == 0) {
            count_trial(s, &t);
            if (writer) {
                write_trial(writer, &t);
            } else {
                print_trial(&t);
            }
        }
        pdp_problem_free(t.problem);
    }
    return code;
}

int bench_planner(int argc, char **argv) {
    planner_arguments arguments = {.seed = 1, .count = 200};
    json writer;
    summary s = {0};
    cli_parse(&argp, argc, argv, &arguments);
    cli_catch_signals();
    if (!arguments.json) {
        const int code = run_trials(&arguments, NULL, &s);
        print_summary(&s);
        return code;
    }
    json_begin(&writer, stdout);
    json_open_object(&writer, NULL);
    json_put_string(&writer, "command", "bench planner");
    json_put_string(&writer, "version", pdp_version());
    json_put_string(&writer, "cpu_level", pdp_cpu_level());
    json_put_unsigned(&writer, "seed", arguments.seed);
    json_open_array(&writer, "problems");
    const int code = run_trials(&arguments, &writer, &s);
    json_close_array(&writer);
    json_put_unsigned(&writer, "count", s.count);
    json_put_unsigned(&writer, "near", s.near);
    json_put_double(&writer, "worst", find_worst(&s));
    json_close_object(&writer);
    json_end(&writer);
    return code;
}
