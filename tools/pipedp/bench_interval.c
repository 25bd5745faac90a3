/* pipedp bench interval: the ceiling of the update, the textbook's loops, and the tile pipeline. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"

enum { MOST_GIVEN = 4, MOST_READ = 3, SAMPLED_CELLS = 32, TEXTBOOK_N = 2000, SMALL_N = 200 };

/* What a user would compile the loops with; the compiler may not reorder floats unless it is told, and then it can find
 * the least of many in vectors, which only the loop by rows has a use for. The first flags take back the library's own.
 */
#define PLAIN_FLAGS "-O3 -march=native -fno-wrapv -ffp-contract=fast -ftrapping-math -fmath-errno"
#define FAST_FLAGS "-O3 -march=native -fno-wrapv -ffast-math"

/* ---- The textbook's loops ---- */

/* Before this stand T, PREPARE, LEAF(i), TERM(l, r, i, k, j), IS_BETTER(a, b) and CLOSE(best, i, j, inside). */
static const char loops[] =
    "#define M(i, j) table[(i) * points + (j)]\n"
    "#define N(j, i) transposed[(j) * points + (i)]\n"
    "void by_diagonals(int64_t points, const void *const *inputs, T *table) {\n"
    "    PREPARE\n"
    "    for (int64_t i = 0; i + 1 < points; i++) {\n"
    "        M(i, i + 1) = LEAF(i);\n"
    "    }\n"
    "    for (int64_t d = 2; d < points; d++) {\n"
    "        for (int64_t i = 0; i + d < points; i++) {\n"
    "            int64_t j = i + d;\n"
    "            M(i, j) = TERM(M(i, i + 1), M(i + 1, j), i, i + 1, j);\n"
    "            for (int64_t k = i + 2; k < j; k++) {\n"
    "                T c = TERM(M(i, k), M(k, j), i, k, j);\n"
    "                if (IS_BETTER(c, M(i, j))) {\n"
    "                    M(i, j) = c;\n"
    "                }\n"
    "            }\n"
    "            M(i, j) = CLOSE(M(i, j), i, j, M(i + 1, j - 1));\n"
    "        }\n"
    "    }\n"
    "}\n"
    "T cell(int64_t points, const void *const *inputs, const T *row, const T *column, T inside, int64_t i, int64_t j) "
    "{\n"
    "    PREPARE\n"
    "    T best = TERM(row[i + 1], column[i + 1], i, i + 1, j);\n"
    "    for (int64_t k = i + 2; k < j; k++) {\n"
    "        T c = TERM(row[k], column[k], i, k, j);\n"
    "        best = IS_BETTER(c, best) ? c : best;\n"
    "    }\n"
    "    return CLOSE(best, i, j, inside);\n"
    "}\n"
    "void by_rows(int64_t points, const void *const *inputs, T *table, T *transposed) {\n"
    "    PREPARE\n"
    "    for (int64_t i = points - 2; i >= 0; i--) {\n"
    "        M(i, i + 1) = N(i + 1, i) = LEAF(i);\n"
    "        for (int64_t j = i + 2; j < points; j++) {\n"
    "            T inside = M(i + 1, j - 1);\n"
    "            M(i, j) = N(j, i) = cell(points, inputs, &M(i, 0), &N(j, 0), inside, i, j);\n"
    "        }\n"
    "    }\n"
    "}\n"
    "int64_t check(int64_t points, const void *const *inputs, const T *row, const T *column, const T *inside,\n"
    "              int64_t i, int64_t j) {\n"
    "    return (int64_t)cell(points, inputs, row, column, *inside, i, j);\n"
    "}\n";

typedef void by_diagonals_function(int64_t points, const void *const *inputs, void *table);
typedef void by_rows_function(int64_t points, const void *const *inputs, void *table, void *transposed);
typedef int64_t check_function(int64_t points, const void *const *inputs, const void *row, const void *column,
                               const void *inside, int64_t i, int64_t j);

/* ---- Problems ---- */

typedef struct interval_data {
    uint64_t n;
    int64_t points;                /* 0: a file of the user's, without loops */
    const char *names[MOST_GIVEN]; /* what the recurrence is given */
    int64_t *given[MOST_GIVEN];    /* NULL: the text */
    size_t counts[MOST_GIVEN];
    char *text;
    void *read[MOST_READ]; /* what the loops read, in the type */
} interval_data;

typedef struct interval_kind {
    const char *name;
    const char *definitions;                                                    /* for the loops */
    bool (*draw)(interval_data *data, const bench_type *type, uint64_t *state); /* false without memory */
} interval_kind;

static int64_t *draw_numbers(uint64_t *state, size_t count, int64_t low, int64_t high) {
    int64_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t x = 0; numbers && x < count; x++) {
        numbers[x] = pdp_random_between(state, low, high);
    }
    return numbers;
}

/* sums[x]: the first x items. */
static void *convert_sums(const bench_type *type, const int64_t *items, size_t count) {
    int64_t *sums = malloc((count + 1) * sizeof *sums);
    void *converted = NULL;
    if (sums && items) {
        sums[0] = 0;
        for (size_t x = 0; x < count; x++) {
            sums[x + 1] = sums[x] + items[x];
        }
        converted = bench_convert(type, sums, count + 1);
    }
    free(sums);
    return converted;
}

/* The largest that keeps n products of three within the type, and n piles n deep. */
static int64_t largest_dim(uint64_t n, const bench_type *type) {
    const double largest = floor(cbrt(type->limit / (4 * (double)n)));
    return largest < 1 ? 1 : largest > 1000 ? 1000 : (int64_t)largest;
}
static int64_t largest_weight(uint64_t n, const bench_type *type) {
    const double largest = floor(type->limit / (8 * (double)n * (double)n));
    return largest < 1 ? 1 : largest > 100 ? 100 : (int64_t)largest;
}

static bool draw_mcm(interval_data *data, const bench_type *type, uint64_t *state) {
    data->points = (int64_t)data->n + 1;
    data->names[0] = "p";
    data->counts[0] = data->n + 1;
    data->given[0] = draw_numbers(state, data->counts[0], 1, largest_dim(data->n, type));
    data->read[0] = data->given[0] ? bench_convert(type, data->given[0], data->counts[0]) : NULL;
    return data->read[0] != NULL;
}

static bool draw_merge(interval_data *data, const bench_type *type, uint64_t *state) {
    data->points = (int64_t)data->n + 1;
    data->names[0] = "w";
    data->counts[0] = data->n;
    data->given[0] = draw_numbers(state, data->n, 0, largest_weight(data->n, type));
    data->read[0] = convert_sums(type, data->given[0], data->n);
    return data->read[0] != NULL;
}

static bool draw_obst(interval_data *data, const bench_type *type, uint64_t *state) {
    data->points = (int64_t)data->n + 2;
    for (int x = 0; x < 2; x++) {
        data->names[x] = x == 0 ? "p" : "q";
        data->counts[x] = data->n + (size_t)x;
        data->given[x] = draw_numbers(state, data->counts[x], 0, largest_weight(data->n, type));
        data->read[x] = convert_sums(type, data->given[x], data->counts[x]);
    }
    data->read[2] = data->given[1] ? bench_convert(type, data->given[1], data->counts[1]) : NULL;
    return data->read[0] && data->read[1] && data->read[2];
}

static bool draw_nussinov(interval_data *data, const bench_type *type, uint64_t *state) {
    data->points = (int64_t)data->n + 1;
    data->names[0] = "s";
    data->counts[0] = data->n;
    data->text = malloc(data->n + 1);
    int64_t *letters = draw_numbers(state, data->n, 0, 3);
    for (size_t x = 0; data->text && letters && x < data->n; x++) {
        data->text[x] = "ACGU"[letters[x]];
    }
    data->read[0] = letters ? bench_convert(type, letters, data->n) : NULL;
    free(letters);
    return data->text && data->read[0];
}

static const interval_kind kinds[] = {
    {"mcm",
     "#define PREPARE const T *p = inputs[0];\n"
     "#define LEAF(i) 0\n"
     "#define TERM(l, r, i, k, j) ((l) + (r) + p[i] * p[k] * p[j])\n"
     "#define IS_BETTER(a, b) ((a) < (b))\n"
     "#define CLOSE(best, i, j, inside) (best)\n",
     draw_mcm},
    {"nussinov",
     "#define PREPARE const T *s = inputs[0];\n"
     "#define LEAF(i) 0\n"
     "#define TERM(l, r, i, k, j) ((l) + (r))\n"
     "#define IS_BETTER(a, b) ((a) > (b))\n"
     "#define PAIRS(a, b) (s[a] + s[b] == 3 || s[a] + s[b] == 5)\n"
     "#define CLOSE(best, i, j, inside) \\\n"
     "    ((j) - 1 - (i) > 3 && PAIRS(i, (j) - 1) && (inside) + 1 > (best) ? (inside) + 1 : (best))\n",
     draw_nussinov},
    {"obst",
     "#define PREPARE const T *p_sums = inputs[0], *q_sums = inputs[1], *q = inputs[2];\n"
     "#define LEAF(i) q[i]\n"
     "#define TERM(l, r, i, k, j) ((l) + (r))\n"
     "#define IS_BETTER(a, b) ((a) < (b))\n"
     "#define CLOSE(best, i, j, inside) ((best) + p_sums[(j) - 1] - p_sums[i] + q_sums[j] - q_sums[i])\n",
     draw_obst},
    {"merge",
     "#define PREPARE const T *w_sums = inputs[0];\n"
     "#define LEAF(i) 0\n"
     "#define TERM(l, r, i, k, j) ((l) + (r))\n"
     "#define IS_BETTER(a, b) ((a) < (b))\n"
     "#define CLOSE(best, i, j, inside) ((best) + w_sums[j] - w_sums[i])\n",
     draw_merge},
};

static void free_data(interval_data *data) {
    for (size_t x = 0; x < MOST_GIVEN; x++) {
        free(data->given[x]);
    }
    for (size_t x = 0; x < MOST_READ; x++) {
        free(data->read[x]);
    }
    free(data->text);
}

/* A problem with this data. On failure the status, and *out holds the error. */
static pdp_status make_problem(pdp_problem **out, const pdp_recurrence *recurrence, const interval_data *data) {
    pdp_status status = pdp_problem_create(out, recurrence);
    for (size_t x = 0; x < MOST_GIVEN && data->names[x] && status == PDP_OK; x++) {
        status = data->given[x] ? pdp_problem_set_whole(*out, data->names[x], data->given[x], data->counts[x], 0)
                                : pdp_problem_set_text(*out, data->names[x], data->text, data->counts[x]);
    }
    return status == PDP_OK ? pdp_problem_check(*out) : status;
}

/* ---- A file of the user's ---- */

/* Its lists are drawn like a chain's dimensions; how long each has to be is found by trying. */
static int draw_file(interval_data *data, const pdp_recurrence *recurrence, const bench_type *type, uint64_t *state) {
    static const size_t more[] = {1, 0, 2};
    size_t lists = 0;
    size_t tries = 1;
    pdp_field field;
    for (size_t f = 0; pdp_recurrence_field(recurrence, f, &field); f++) {
        if (field.is_optional) {
            continue;
        }
        if (field.is_param || field.axes != 1 || field.alphabet || lists == MOST_GIVEN) {
            return cli_fail(EXIT_BAD_USE, "'%s' cannot be drawn: a file is benchmarked with up to %d lists of numbers",
                            field.name, MOST_GIVEN);
        }
        data->names[lists] = field.name;
        data->given[lists] = draw_numbers(state, data->n + 2, 1, largest_dim(data->n, type));
        tries *= 3;
        if (!data->given[lists++]) {
            return cli_fail(EXIT_FAILED, "out of memory");
        }
    }
    for (size_t t = 0; t < tries; t++) {
        size_t rest = t;
        for (size_t x = 0; x < lists; x++, rest /= 3) {
            data->counts[x] = data->n + more[rest % 3];
        }
        pdp_problem *problem = NULL;
        pdp_status status = make_problem(&problem, recurrence, data);
        if (status != PDP_OK && t + 1 == tries) {
            cli_fail(EXIT_BAD_USE, "no lists of about n items fit: %s", pdp_problem_error(problem));
        }
        pdp_problem_free(problem);
        if (status == PDP_OK) {
            return EXIT_DONE;
        }
    }
    return EXIT_BAD_USE;
}

static char *read_text(const char *path, size_t *length) {
    FILE *file = fopen(path, "r");
    char *text = file ? malloc((1 << 16) + 1) : NULL;
    *length = text ? fread(text, 1, (1 << 16) + 1, file) : 0;
    if (file) {
        fclose(file);
    }
    return text;
}

/* ---- One case: a recurrence in a type ---- */

typedef struct interval_case {
    const bench_options *options;
    const interval_kind *kind; /* NULL: a file of the user's */
    pdp_recurrence *recurrence;
    const bench_type *type;
    bench_case *one;
    bench_solve first; /* whose update's ceiling is measured */

    pdp_code *codes[2]; /* the loops, plain and fast */
    interval_data textbook;
    void *tables[2]; /* of the loops, and the transposed copy */
    interval_data sized[BENCH_MOST_SIZES];
    bench_solve solves[2 * BENCH_MOST_SIZES];
    size_t solve_count;
} interval_case;

static int fill_data(interval_case *c, interval_data *data, uint64_t n) {
    uint64_t state = c->options->seed;
    data->n = n;
    if (!c->kind) {
        return draw_file(data, c->recurrence, c->type, &state);
    }
    return c->kind->draw(data, c->type, &state) ? EXIT_DONE : cli_fail(EXIT_FAILED, "out of memory");
}

static int make_solve(interval_case *c, bench_solve *solve, const interval_data *data, const char *algorithm,
                      uint64_t threads) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    const bool is_engine = strcmp(algorithm, "tiles") == 0;
    options.algorithm = algorithm;
    options.type = is_engine ? c->type->name : NULL;
    options.threads = (int)threads;
    options.decisions = 0;
    options.table = strcmp(algorithm, "hu-shing") != 0;
    solve->on_the_wall = c->options->threads > 1;
    pdp_status status = make_problem(&solve->problem, c->recurrence, data);
    if (status != PDP_OK) {
        return cli_fail(cli_exit_code(status), "%s", pdp_problem_error(solve->problem));
    }
    status = pdp_plan_create(&solve->plan, solve->problem, &options);
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_plan_error(solve->plan));
}

static void free_solve(bench_solve *solve) {
    pdp_plan_free(solve->plan);
    pdp_problem_free(solve->problem);
}

/* ---- The textbook's turns ---- */

static int compile_loops(interval_case *c) {
    char source[8192];
    snprintf(source, sizeof source, "#include <stdint.h>\ntypedef %s T;\n%s%s", c->type->in_c, c->kind->definitions,
             loops);
    for (int x = 0; x < 2; x++) {
        pdp_status status = pdp_code_compile(&c->codes[x], source, x == 0 ? PLAIN_FLAGS : FAST_FLAGS);
        if (status != PDP_OK) {
            return cli_fail(cli_exit_code(status), "the textbook's loops: %s", pdp_code_error(c->codes[x]));
        }
    }
    return EXIT_DONE;
}

static double run_by_diagonals(void *context) {
    interval_case *c = context;
    by_diagonals_function *loop = (by_diagonals_function *)pdp_code_find(c->codes[0], "by_diagonals");
    double start = bench_seconds(false);
    loop(c->textbook.points, (const void *const *)c->textbook.read, c->tables[0]);
    return bench_seconds(false) - start;
}

static double run_by_rows(void *context) {
    interval_case *c = context;
    by_rows_function *loop = (by_rows_function *)pdp_code_find(c->codes[1], "by_rows");
    double start = bench_seconds(false);
    loop(c->textbook.points, (const void *const *)c->textbook.read, c->tables[0], c->tables[1]);
    return bench_seconds(false) - start;
}

/* ---- Verifying ---- */

static int compare_row(const interval_case *c, const int64_t *row, size_t points, size_t i, const char *whose) {
    for (size_t j = i + 1; j < points; j++) {
        int64_t expected = c->type->get(c->tables[0], i * points + j);
        if (row[j] != expected) {
            return cli_fail(EXIT_MISMATCH,
                            "mismatch: %s %s, cell (%zu,%zu) is %" PRId64 ", and %" PRId64 " by the loop %s",
                            c->one->name, c->type->name, i, j, row[j], expected, whose);
        }
    }
    return EXIT_DONE;
}

/* The table of a loop against ours. */
static int compare_with_loop(const interval_case *c, const pdp_solution *solution, const char *whose) {
    const size_t points = (size_t)c->textbook.points;
    int64_t *row = malloc(points * sizeof *row);
    int code = row ? EXIT_DONE : cli_fail(EXIT_FAILED, "out of memory");
    for (size_t i = 0; code == EXIT_DONE && i < points; i++) {
        pdp_status status = pdp_solution_row(solution, i, row, points);
        code = status == PDP_OK ? compare_row(c, row, points, i, whose)
                                : cli_fail(EXIT_FAILED, "%s", pdp_solution_error(solution));
    }
    free(row);
    return code;
}

static int run_plan(const bench_solve *solve, pdp_solution **solution) {
    pdp_status status = pdp_plan_run(solve->plan, solution);
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_solution_error(*solution));
}

/* Both loops and ours at the loops' size. */
static int verify_by_loops(interval_case *c) {
    const size_t cells = (size_t)c->textbook.points * (size_t)c->textbook.points;
    bench_solve solve = {0};
    pdp_solution *solution = NULL;
    for (int x = 0; x < 2; x++) {
        c->tables[x] = calloc(cells, c->type->bytes);
    }
    int code = c->tables[0] && c->tables[1] ? make_solve(c, &solve, &c->textbook, "tiles", 1)
                                            : cli_fail(EXIT_FAILED, "out of memory");
    if (code == EXIT_DONE && (code = run_plan(&solve, &solution)) == EXIT_DONE) {
        run_by_diagonals(c);
        code = compare_with_loop(c, solution, "by diagonals");
        if (code == EXIT_DONE) {
            run_by_rows(c);
            code = compare_with_loop(c, solution, "by rows");
        }
    }
    pdp_solution_free(solution);
    free_solve(&solve);
    return code;
}

/* A cell with the row and the column that it comes from. */
typedef struct sampled_cell {
    size_t i;
    size_t j;
    int64_t value;
    int64_t inside;
    int64_t *row; /* of M[i][k], and then as many of M[k][j] */
} sampled_cell;

static void collect_row(sampled_cell *cells, const int64_t *row, size_t points, size_t i) {
    for (size_t s = 0; s < SAMPLED_CELLS; s++) {
        sampled_cell *cell = &cells[s];
        if (i == cell->i) {
            memcpy(cell->row, row, points * sizeof *row);
            cell->value = row[cell->j];
        }
        if (i == cell->i + 1) {
            cell->inside = row[cell->j - 1];
        }
        cell->row[points + i] = row[cell->j];
    }
}

static int check_cell(const interval_case *c, const interval_data *data, const sampled_cell *cell) {
    const size_t points = (size_t)data->points;
    check_function *check = (check_function *)pdp_code_find(c->codes[1], "check");
    void *row = bench_convert(c->type, cell->row, 2 * points);
    void *inside = bench_convert(c->type, &cell->inside, 1);
    int code = EXIT_DONE;
    if (!row || !inside) {
        code = cli_fail(EXIT_FAILED, "out of memory");
    } else {
        int64_t expected =
            check(data->points, (const void *const *)data->read, row,
                  (const unsigned char *)row + points * c->type->bytes, inside, (int64_t)cell->i, (int64_t)cell->j);
        if (expected != cell->value) {
            code = cli_fail(EXIT_MISMATCH,
                            "mismatch: %s %s, n = %" PRIu64 ", cell (%zu,%zu) is %" PRId64 ", and %" PRId64
                            " from its row and column",
                            c->one->name, c->type->name, data->n, cell->i, cell->j, cell->value, expected);
        }
    }
    free(row);
    free(inside);
    return code;
}

/* Cells here and there once more, by the textbook's inner loop from their rows and columns in our table; the last cell
 * is one of them. */
static int verify_cells(const interval_case *c, const interval_data *data, const pdp_solution *solution) {
    const size_t points = (size_t)data->points;
    sampled_cell cells[SAMPLED_CELLS] = {0};
    int64_t *row = malloc(points * sizeof *row);
    int code = row ? EXIT_DONE : EXIT_FAILED;
    uint64_t state = data->n;
    for (size_t s = 0; s < SAMPLED_CELLS; s++) {
        cells[s].i = s == 0 ? 0 : (size_t)pdp_random_between(&state, 0, (int64_t)points - 3);
        cells[s].j =
            s == 0 ? points - 1 : (size_t)pdp_random_between(&state, (int64_t)cells[s].i + 2, (int64_t)points - 1);
        cells[s].row = malloc(2 * points * sizeof *row);
        code = cells[s].row ? code : EXIT_FAILED;
    }
    if (code != EXIT_DONE) {
        cli_fail(code, "out of memory");
    }
    for (size_t i = 0; code == EXIT_DONE && i < points; i++) {
        pdp_status status = pdp_solution_row(solution, i, row, points);
        if (status != PDP_OK) {
            code = cli_fail(EXIT_FAILED, "%s", pdp_solution_error(solution));
        } else {
            collect_row(cells, row, points, i);
        }
    }
    for (size_t s = 0; s < SAMPLED_CELLS; s++) {
        code = code == EXIT_DONE ? check_cell(c, data, &cells[s]) : code;
        free(cells[s].row);
    }
    free(row);
    return code;
}

/* The value once more, by a method that shares nothing with the tiles. */
static int verify_value(interval_case *c, const interval_data *data, const char *algorithm, const bench_value *value) {
    bench_solve other = {0};
    pdp_solution *solution = NULL;
    char texts[2][BENCH_VALUE_SIZE];
    int code = make_solve(c, &other, data, algorithm, 1);
    code = code == EXIT_DONE ? run_plan(&other, &solution) : code;
    other.value = bench_take_value(other.plan, solution);
    if (code == EXIT_DONE && !bench_values_agree(value, &other.value)) {
        code = cli_fail(EXIT_MISMATCH, "mismatch: %s %s, n = %" PRIu64 " is %s, and %s by %s", c->one->name,
                        c->type->name, data->n, bench_format_value(value, texts[0]),
                        bench_format_value(&other.value, texts[1]), algorithm);
    }
    pdp_solution_free(solution);
    free_solve(&other);
    return code;
}

/* A file of the user's: the value of a smaller problem, by the interpreter. */
static int verify_small(interval_case *c) {
    interval_data data = {0};
    bench_solve solve = {0};
    pdp_solution *solution = NULL;
    int code = fill_data(c, &data, SMALL_N);
    code = code == EXIT_DONE ? make_solve(c, &solve, &data, "tiles", 1) : code;
    code = code == EXIT_DONE ? run_plan(&solve, &solution) : code;
    solve.value = bench_take_value(solve.plan, solution);
    code = code == EXIT_DONE ? verify_value(c, &data, "sequential", &solve.value) : code;
    pdp_solution_free(solution);
    free_solve(&solve);
    free_data(&data);
    return code;
}

/* ---- Putting a case together ---- */

/* Ours at a size: a first run, which is verified, and then the entries. */
static int add_ours(interval_case *c, interval_data *data, uint64_t threads) {
    bench_solve *solve = &c->solves[c->solve_count++];
    pdp_solution *solution = NULL;
    char name[BENCH_NAME_SIZE] = "ours";
    int code = make_solve(c, solve, data, "tiles", threads);
    code = code == EXIT_DONE ? run_plan(solve, &solution) : code;
    if (code == EXIT_DONE) {
        solve->value = bench_take_value(solve->plan, solution);
        code = c->kind ? verify_cells(c, data, solution) : EXIT_DONE;
    }
    if (code == EXIT_DONE && c->kind && strcmp(c->kind->name, "mcm") == 0) {
        code = verify_value(c, data, "hu-shing", &solve->value);
    }
    pdp_solution_free(solution);
    if (code == EXIT_DONE) {
        if (threads > 1) {
            snprintf(name, sizeof name, "ours, %" PRIu64 " threads", threads);
        }
        bench_entry *entry = bench_case_add(c->one, name, data->n, pdp_plan_updates(solve->plan));
        entry->run = bench_run_solve;
        entry->context = solve;
        entry->threads = (int)threads;
    }
    return code;
}

static int add_textbook(interval_case *c, uint64_t n) {
    int code = compile_loops(c);
    code = code == EXIT_DONE ? fill_data(c, &c->textbook, n) : code;
    code = code == EXIT_DONE ? verify_by_loops(c) : code;
    if (code == EXIT_DONE) {
        const double points = (double)c->textbook.points;
        const double updates = points * (points - 1) * (points - 2) / 6;
        bench_entry *entry = bench_case_add(c->one, "by diagonals", n, updates);
        entry->run = run_by_diagonals;
        entry->context = c;
        entry->is_textbook = true;
        snprintf(entry->detail, sizeof entry->detail, "for d, for i, for k; -O3 -march=native");
        entry = bench_case_add(c->one, "by rows", n, updates);
        entry->run = run_by_rows;
        entry->context = c;
        entry->is_textbook = true;
        snprintf(entry->detail, sizeof entry->detail, "for i, for j, for k, with a transposed copy; with -ffast-math");
    }
    return code;
}

static void free_case(interval_case *c) {
    for (size_t x = 0; x < 2; x++) {
        pdp_code_free(c->codes[x]);
        free(c->tables[x]);
    }
    for (size_t x = 0; x < c->solve_count; x++) {
        free_solve(&c->solves[x]);
    }
    for (size_t x = 0; x < BENCH_MOST_SIZES; x++) {
        free_data(&c->sized[x]);
    }
    free_data(&c->textbook);
    free_solve(&c->first);
}

static int build_case(interval_case *c, bench_report *report, const uint64_t *sizes, size_t size_count) {
    interval_data data = {0};
    int code = fill_data(c, &data, sizes[0]);
    code = code == EXIT_DONE ? make_solve(c, &c->first, &data, "tiles", 1) : code;
    code = code == EXIT_DONE ? bench_case_open(report, pdp_recurrence_name(c->recurrence), c->first.plan) : code;
    free_data(&data);
    if (code == EXIT_DONE) {
        uint64_t n = size_count == 1 && sizes[0] < TEXTBOOK_N ? sizes[0] : TEXTBOOK_N;
        c->one = bench_newest(report);
        code = c->kind ? add_textbook(c, n) : verify_small(c);
    }
    for (size_t x = 0; code == EXIT_DONE && x < size_count; x++) {
        code = fill_data(c, &c->sized[x], sizes[x]);
        code = code == EXIT_DONE ? add_ours(c, &c->sized[x], 1) : code;
        if (code == EXIT_DONE && c->options->threads > 1) {
            code = add_ours(c, &c->sized[x], c->options->threads);
        }
    }
    return code;
}

static void describe(const interval_case *c) {
    if (!c->kind) {
        snprintf(c->one->verified, sizeof c->one->verified, "the value at n = %d by the interpreter", SMALL_N);
    } else {
        snprintf(c->one->verified, sizeof c->one->verified,
                 "the whole table at n = %" PRIu64 " by both loops, %d cells at every n from row and column%s",
                 c->textbook.n, SAMPLED_CELLS, strcmp(c->kind->name, "mcm") == 0 ? ", every value by hu-shing" : "");
    }
}

static int run_case(bench_report *report, const interval_kind *kind, pdp_recurrence *recurrence, const char *type,
                    const uint64_t *sizes, size_t size_count) {
    interval_case c = {
        .options = report->options, .kind = kind, .recurrence = recurrence, .type = bench_find_type(type)};
    if (!c.type || strcmp(type, "mod") == 0) {
        return cli_fail(EXIT_BAD_USE, "type '%s' is not known; there are i32, i64, f32, f64", type);
    }
    int code = build_case(&c, report, sizes, size_count);
    code = code == EXIT_DONE ? bench_case_run(c.one, report->options) : code;
    if (code == EXIT_DONE) {
        describe(&c);
        bench_print_case(c.one, report->options);
    }
    free_case(&c);
    return code;
}

/* ---- The command ---- */

typedef struct interval_arguments {
    bench_options shared;
    const char *problems; /* names with commas, or NULL */
} interval_arguments;

static const struct argp_option options[] = {
    {"problem", 'p', "NAME,...", 0, "mcm, nussinov, obst, merge, or FILE.dp (default mcm)", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    interval_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->shared; return 0;
    case 'p': arguments->problems = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc = "The inner update's ceiling on this core, a textbook's loops and the tile pipeline, in turn. One thread is "
           "measured in seconds of the core, several in seconds on the wall.\vThe loops are run at n = 2000 (or at the "
           "only n, if that is smaller): a larger one takes long, and is not faster. By default mcm in i32, i64, f32 "
           "and f64 at n = 2000 and 4000; --full adds n = 8000, and nussinov, obst and merge in i32 at 4000.\n\n"
           "Examples:\n"
           "  pipedp bench interval\n"
           "  pipedp bench interval --problem nussinov --type i32 --n 4000 --reps 7\n"
           "  pipedp bench interval --problem mine.dp --type f64 --n 4000 --json",
};

/* One problem in all its types. */
static int run_problem(bench_report *report, const char *problem, const char *type_list, const uint64_t *sizes,
                       size_t size_count) {
    const interval_kind *kind = NULL;
    pdp_recurrence *recurrence = NULL;
    size_t length = 0;
    char type[BENCH_NAME_SIZE];
    for (size_t x = 0; x < sizeof kinds / sizeof *kinds; x++) {
        kind = strcmp(kinds[x].name, problem) == 0 ? &kinds[x] : kind;
    }
    char *text = kind ? NULL : read_text(problem, &length);
    if (!kind && !text) {
        return cli_fail(EXIT_BAD_USE, "'%s' is neither mcm, nussinov, obst or merge nor a file that can be read",
                        problem);
    }
    pdp_status status =
        kind ? pdp_recurrence_load(&recurrence, problem) : pdp_recurrence_parse(&recurrence, text, length);
    int code = status == PDP_OK ? EXIT_DONE : cli_fail(EXIT_BAD_USE, "%s", pdp_recurrence_error(recurrence));
    if (code == EXIT_DONE && pdp_recurrence_shape(recurrence) != PDP_INTERVAL) {
        code = cli_fail(EXIT_BAD_USE, "'%s' is not an interval recurrence", problem);
    }
    while (code == EXIT_DONE && bench_next_item(&type_list, type, sizeof type)) {
        code = run_case(report, kind, recurrence, type, sizes, size_count);
    }
    pdp_recurrence_free(recurrence);
    free(text);
    return code;
}

static int run_all(bench_report *report, const interval_arguments *arguments) {
    static const uint64_t quick[] = {2000, 4000};
    static const uint64_t full[] = {2000, 4000, 8000};
    static const uint64_t other[] = {4000};
    const bench_options *shared = &arguments->shared;
    const char *problems = arguments->problems ? arguments->problems
                           : shared->is_full   ? "mcm,nussinov,obst,merge"
                                               : "mcm";
    char problem[4096]; /* also a path */
    int code = EXIT_DONE;
    while (code == EXIT_DONE && bench_next_item(&problems, problem, sizeof problem)) {
        const bool is_mcm = strcmp(problem, "mcm") == 0;
        const char *types = shared->types ? shared->types : is_mcm ? "f64,i32,f32,i64" : "i32";
        const uint64_t *sizes = shared->size_count > 0 ? shared->sizes
                                : !is_mcm              ? other
                                : shared->is_full      ? full
                                                       : quick;
        const size_t count = shared->size_count > 0 ? shared->size_count : !is_mcm ? 1 : shared->is_full ? 3 : 2;
        code = run_problem(report, problem, types, sizes, count);
    }
    return code;
}

int bench_interval(int argc, char **argv) {
    interval_arguments arguments = {.shared = {.rounds = 3, .threads = 1, .seed = 1}};
    cli_parse(&argp, argc, argv, &arguments);
    bench_report report = {.command = "bench interval", .options = &arguments.shared};
    int code = arguments.shared.plot ? bench_plot_check() : EXIT_DONE;
    code = code == EXIT_DONE ? run_all(&report, &arguments) : code;
    code = code == EXIT_DONE ? bench_report_finish(&report) : code;
    bench_report_free(&report);
    return code;
}
