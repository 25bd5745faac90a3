#include "problem_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "option_value.h"

/* ---- Options ---- */

enum { KEY_MAX_DIM = 256, KEY_SEED, KEY_INIT, KEY_OP, KEY_OVERFLOW, KEY_MOD, KEY_WEIGHTS, KEY_X };
enum { OFFSETS, PRESETS, WEIGHTS, SOURCE }; /* the lists of S-DP; a chain's dimensions are list 0 */

static const struct argp_option mcm_options[] = {
    {"file", 'f', "F", 0, "Read the dimensions from F (short for @F)", 0},
    {"random", 'r', "N", 0, "A random chain of N matrices", 0},
    {"max-dim", KEY_MAX_DIM, "D", 0, "Random dimensions are 1 to D (default 100)", 0},
    {"seed", KEY_SEED, "S", 0, "Seed of the random chain (default 1)", 0},
    {0},
};

static const struct argp_option sdp_options[] = {
    {"op", KEY_OP, "OP", 0, "min (default), max, add, mul, and, or, xor or gcd", 0},
    {"offsets", 'a', "LIST", 0, "The offsets a1 > a2 > ... > ak > 0", 0},
    {"init", KEY_INIT, "LIST", 0, "The a1 initial values ST[0], ST[1], ...", 0},
    {"n", 'n', "N", 0, "Cells of the table, the initial ones included", 0},
    {"random", 'r', "N", 0, "A random problem of N cells: offsets up to N/2, values 0 to 999999", 0},
    {"k", 'k', "K", 0, "Number of random offsets (default 8, or N/2 if that is smaller)", 0},
    {"seed", KEY_SEED, "S", 0, "Seed of the random problem (default 1)", 0},
    {"overflow", KEY_OVERFLOW, "POLICY", 0, "For add and mul beyond int64: error (default) or wrap", 0},
    {"mod", KEY_MOD, "P", 0, "For add and mul: compute modulo P, 2 <= P < 2^63", 0},
    {0},
};

static const struct argp_option weights_options[] = {
    {"weights", KEY_WEIGHTS, "LIST", 0, "A weight per offset: added under min and max, multiplied under add", 0},
    {"x", KEY_X, "LIST", 0, "A source: x[i] is one more term of cell i; n values", 0},
    {0},
};

/* Options that both kinds have. */
static error_t parse_random(int key, char *argument, struct argp_state *state) {
    problem_input *input = state->input;
    switch (key) {
    case 'r':
        cli_check_value(state, "--random", argument, option_parse_unsigned(argument, &input->n));
        input->is_random = true;
        return 0;
    case KEY_SEED:
        cli_check_value(state, "--seed", argument, option_parse_unsigned(argument, &input->seed));
        input->random_detail = "--seed";
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_mcm(int key, char *argument, struct argp_state *state) {
    problem_input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        /* As many places as there are arguments at all. */
        input->items = calloc((size_t)state->argc, sizeof *input->items);
        return input->items ? 0 : ENOMEM;
    case ARGP_KEY_ARG: input->items[input->item_count++] = argument; return 0;
    case 'f': input->file = cli_path(argument); return 0;
    case KEY_MAX_DIM:
        cli_check_value(state, "--max-dim", argument, option_parse_integer(argument, &input->max_dim));
        if (input->max_dim < 1) {
            argp_error(state, "--max-dim: %" PRId64 " must be at least 1", input->max_dim);
        }
        input->random_detail = "--max-dim";
        return 0;
    default: return parse_random(key, argument, state);
    }
}

static void parse_overflow(problem_input *input, const char *argument, const struct argp_state *state) {
    bool is_wrap = strcmp(argument, "wrap") == 0;
    if (!is_wrap && strcmp(argument, "error") != 0) {
        argp_error(state, "--overflow: '%s' is not a policy; there are error and wrap", argument);
    }
    input->has_overflow = true;
    input->overflow = is_wrap ? PDP_OVERFLOW_WRAP : PDP_OVERFLOW_ERROR;
}

static error_t parse_sdp(int key, char *argument, struct argp_state *state) {
    problem_input *input = state->input;
    switch (key) {
    case KEY_OP:
        if (pdp_operator_find(&input->op, argument) != PDP_OK) {
            argp_error(state, "--op: '%s' is not an operator; there are min, max, add, mul, and, or, xor, gcd",
                       argument);
        }
        return 0;
    case 'a': input->offsets = argument; return 0;
    case KEY_INIT: input->presets = argument; return 0;
    case 'n':
        cli_check_value(state, "-n", argument, option_parse_unsigned(argument, &input->n));
        input->has_n = true;
        return 0;
    case 'k':
        cli_check_value(state, "--k", argument, option_parse_unsigned(argument, &input->k));
        if (input->k == 0) {
            argp_error(state, "--k: 0 must be at least 1");
        }
        input->random_detail = "--k";
        return 0;
    case KEY_OVERFLOW: parse_overflow(input, argument, state); return 0;
    case KEY_MOD:
        cli_check_value(state, "--mod", argument, option_parse_integer(argument, &input->modulus));
        input->has_modulus = true;
        return 0;
    case ARGP_KEY_END:
        if (input->has_modulus && input->has_overflow) {
            argp_error(state, "--overflow and --mod exclude each other");
        }
        input->overflow = input->has_modulus ? PDP_OVERFLOW_MOD : input->overflow;
        return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return parse_random(key, argument, state);
    }
}

static error_t parse_weights(int key, char *argument, struct argp_state *state) {
    problem_input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = input; return 0;
    case KEY_WEIGHTS: input->weights = argument; return 0;
    case KEY_X: input->source = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp mcm_problem_argp = {.options = mcm_options, .parser = parse_mcm};
const struct argp sdp_problem_argp = {.options = sdp_options, .parser = parse_sdp};
static const struct argp_child weights_children[] = {{&sdp_problem_argp, 0, NULL, 0}, {0}};
const struct argp sdp_weighted_argp = {
    .options = weights_options, .parser = parse_weights, .children = weights_children};

/* ---- Data ---- */

void problem_input_init(problem_input *input, pdp_shape kind) {
    *input = (problem_input){.kind = kind, .max_dim = 100, .seed = 1, .op = PDP_MIN};
}

void problem_input_free(problem_input *input) {
    for (int list = 0; list < PROBLEM_LISTS; list++) {
        pdp_numbers_free(input->lists[list]);
        free(input->drawn[list]);
    }
    free(input->items);
    pdp_problem_free(input->problem);
}

const char *problem_input_path(const problem_input *input, int list) {
    const char *const texts[PROBLEM_LISTS] = {input->offsets, input->presets, input->weights, input->source};
    const char *text = input->kind == PDP_LINEAR             ? texts[list]
                       : list == 0 && input->file            ? input->file
                       : list == 0 && input->item_count == 1 ? input->items[0]
                                                             : NULL;
    const bool is_file = text && (text == input->file || *text == '@');
    const char *path = is_file && text != input->file ? text + 1 : text;
    return is_file && strcmp(path, "-") != 0 ? path : NULL;
}

/* A list in place, or @file. */
static int load_list(problem_input *input, int list, const char *name, const char *text) {
    pdp_numbers **numbers = &input->lists[list];
    pdp_status status =
        *text == '@' ? pdp_numbers_read(numbers, text + 1) : pdp_numbers_parse(numbers, text, strlen(text));
    if (status != PDP_OK) {
        return cli_fail(cli_exit_code(status), "%s: %s", name, pdp_numbers_error(*numbers));
    }
    input->data[list] = pdp_numbers_data(*numbers);
    input->counts[list] = pdp_numbers_count(*numbers);
    return EXIT_DONE;
}

/* The dimensions given in place, put into one text: "30 35" and "30, 35" are the same list. */
static int load_items(problem_input *input) {
    size_t size = 1;
    for (size_t a = 0; a < input->item_count; a++) {
        if (input->items[a][0] == '@' && input->item_count > 1) {
            return cli_fail(EXIT_BAD_USE, "dimensions: '%s' and %zu more: give the file or the numbers, not both",
                            input->items[a], input->item_count - 1);
        }
        size += strlen(input->items[a]) + 1;
    }
    char *text = calloc(size, 1);
    if (!text) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    char *end = text;
    for (size_t a = 0; a < input->item_count; a++) {
        end = stpcpy(stpcpy(end, a > 0 ? " " : ""), input->items[a] + strspn(input->items[a], " "));
    }
    int code = load_list(input, 0, "dimensions", text);
    free(text);
    return code;
}

/* Room for a drawn list. */
static int64_t *draw_list(problem_input *input, int list, uint64_t count) {
    if (count <= pdp_memory_available() / 16) {
        input->drawn[list] = calloc(count > 0 ? count : 1, sizeof(int64_t));
    }
    if (!input->drawn[list]) {
        cli_fail(EXIT_FAILED, "--random: there is no memory for %" PRIu64 " numbers", count);
    }
    input->data[list] = input->drawn[list];
    input->counts[list] = count;
    return input->drawn[list];
}

static int draw_mcm(problem_input *input) {
    if (input->n == 0 || input->n == UINT64_MAX) {
        return cli_fail(EXIT_BAD_USE, "--random: %" PRIu64 " is no number of matrices", input->n);
    }
    int64_t *dims = draw_list(input, 0, input->n + 1);
    uint64_t state = input->seed;
    for (uint64_t m = 0; dims && m <= input->n; m++) {
        dims[m] = pdp_random_between(&state, 1, input->max_dim);
    }
    return dims ? EXIT_DONE : EXIT_FAILED;
}

/* k different offsets of 1 .. largest, each set equally likely: going down from the largest, each is
 * taken with the probability of those still wanted among those still left. */
static int draw_sdp(problem_input *input) {
    uint64_t n = input->n;
    if (n == 0 || n > INT64_MAX) {
        return cli_fail(EXIT_BAD_USE, "--random: %" PRIu64 " is no number of cells", n);
    }
    if (n > pdp_memory_available() / sizeof(int64_t)) { /* before drawing from as many */
        return cli_fail(EXIT_FAILED, "--random: there is no memory for a table of %" PRIu64 " cells", n);
    }
    uint64_t half = n > 1 ? n / 2 : 1;
    uint64_t k = input->k > 0 ? input->k : half < 8 ? half : 8;
    if (k > n) {
        return cli_fail(EXIT_BAD_USE, "--k: %" PRIu64 " offsets must be at most --random, which is %" PRIu64, k, n);
    }
    int64_t *offsets = draw_list(input, 0, k);
    if (!offsets) {
        return EXIT_FAILED;
    }
    uint64_t state = input->seed;
    uint64_t wanted = k;
    for (uint64_t left = k > n / 2 ? k : n / 2; wanted > 0; left--) {
        if ((uint64_t)pdp_random_between(&state, 1, (int64_t)left) <= wanted) {
            offsets[k - wanted--] = (int64_t)left;
        }
    }
    int64_t *presets = draw_list(input, 1, (uint64_t)offsets[0]);
    for (int64_t i = 0; presets && i < offsets[0]; i++) {
        presets[i] = pdp_random_between(&state, 0, 999999);
    }
    return presets ? EXIT_DONE : EXIT_FAILED;
}

static int load_mcm(problem_input *input) {
    int sources = (input->item_count > 0) + (input->file != NULL) + input->is_random;
    if (sources > 1) {
        return cli_fail(EXIT_BAD_USE, "the dimensions are given %d times: in place, by --file or by --random", sources);
    }
    if (input->is_random) {
        return draw_mcm(input);
    }
    if (input->file) {
        char path[4096];
        if (snprintf(path, sizeof path, "@%s", input->file) >= (int)sizeof path) {
            return cli_fail(EXIT_BAD_USE, "--file: the name is too long");
        }
        return load_list(input, 0, "--file", path);
    }
    return load_items(input);
}

static int load_sdp(problem_input *input) {
    static const char *const names[PROBLEM_LISTS] = {"--offsets", "--init", "--weights", "--x"};
    const char *const texts[PROBLEM_LISTS] = {input->offsets, input->presets, input->weights, input->source};
    const char *from_stdin = NULL;
    for (int list = 0; list < PROBLEM_LISTS; list++) {
        if (texts[list] && strcmp(texts[list], "@-") == 0) {
            if (from_stdin) {
                return cli_fail(EXIT_BAD_USE, "%s and %s both want standard input", from_stdin, names[list]);
            }
            from_stdin = names[list];
        }
    }
    const char *given = input->has_n ? "-n" : input->offsets ? "--offsets" : input->presets ? "--init" : NULL;
    if (input->is_random && given) {
        return cli_fail(EXIT_BAD_USE, "--random and %s exclude each other", given);
    }
    const char *missing = !input->offsets ? "--offsets" : !input->presets ? "--init" : !input->has_n ? "-n" : NULL;
    if (!input->is_random && missing) {
        return cli_fail(EXIT_BAD_USE, "%s is missing: give --offsets, --init and -n, or --random", missing);
    }
    int code = input->is_random ? draw_sdp(input) : EXIT_DONE;
    for (int list = 0; list < PROBLEM_LISTS && code == EXIT_DONE; list++) {
        code = texts[list] ? load_list(input, list, names[list], texts[list]) : EXIT_DONE;
    }
    return code;
}

/* ---- Problems ---- */

static int create_paper_sdp(problem_input *input) {
    pdp_sdp sdp = {.n = input->n,
                   .offsets = input->data[OFFSETS],
                   .offset_count = input->counts[OFFSETS],
                   .presets = input->data[PRESETS],
                   .preset_count = input->counts[PRESETS],
                   .op = input->op,
                   .overflow = input->overflow,
                   .modulus = input->modulus};
    pdp_status status = pdp_problem_create_sdp(&input->problem, &sdp);
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_problem_error(input->problem));
}

static int check_weights(const problem_input *input) {
    if (input->weights && input->op != PDP_MIN && input->op != PDP_MAX && input->op != PDP_ADD) {
        return cli_fail(EXIT_BAD_USE,
                        "--weights: they are added under min and max and multiplied under add; there are none under %s",
                        pdp_operator_name(input->op));
    }
    if (input->weights && input->counts[WEIGHTS] != input->counts[OFFSETS]) {
        return cli_fail(EXIT_BAD_USE, "--weights: there are %zu, and must be %zu, as many as offsets",
                        input->counts[WEIGHTS], input->counts[OFFSETS]);
    }
    if (input->source && input->counts[SOURCE] != input->n) {
        return cli_fail(EXIT_BAD_USE, "--x: there are %zu values, and must be %" PRIu64 ", as many as cells",
                        input->counts[SOURCE], input->n);
    }
    return EXIT_DONE;
}

/* A built-in recurrence with a type clause after its first line. */
static pdp_status load_typed(pdp_recurrence **out, const char *name, const char *type) {
    const char *text = NULL;
    char *typed = NULL;
    for (size_t x = 0; pdp_builtin_name(x) && !text; x++) {
        text = strcmp(pdp_builtin_name(x), name) == 0 ? pdp_builtin_text(x) : NULL;
    }
    const char *rest = text ? strstr(text, "\n  ") : NULL;
    if (!rest || asprintf(&typed, "%.*s\n%s%s", (int)(rest - text), text, type, rest) < 0) {
        return PDP_NO_MEMORY;
    }
    pdp_status status = pdp_recurrence_parse(out, typed, strlen(typed));
    free(typed);
    return status;
}

/* With weights or a source, by the built-in recurrence that has them. That the rest is in the paper's form, the paper's
 * problem has checked, whose place this one takes. */
static int create_weighted_sdp(problem_input *input) {
    const char *name = !input->weights ? "sdp" : input->op == PDP_ADD ? "sdp_scaled" : "sdp_added";
    const char *op = pdp_operator_name(input->op);
    const int64_t n = (int64_t)input->n;
    pdp_recurrence *recurrence = NULL;
    pdp_problem_free(input->problem);
    input->problem = NULL;
    switch (input->overflow) {
    case PDP_OVERFLOW_WRAP: load_typed(&recurrence, name, "  type bits"); break;
    case PDP_OVERFLOW_MOD: load_typed(&recurrence, name, "  type mod P\n  param P"); break;
    default: pdp_recurrence_load(&recurrence, name); break;
    }
    pdp_problem_create(&input->problem, recurrence);
    pdp_recurrence_free(recurrence);
    pdp_problem_set_text(input->problem, "op", op, strlen(op));
    pdp_problem_set_whole(input->problem, "n", &n, 1, 0);
    pdp_problem_set_whole(input->problem, "a", input->data[OFFSETS], input->counts[OFFSETS], 0);
    pdp_problem_set_whole(input->problem, "init", input->data[PRESETS], input->counts[PRESETS], 0);
    if (input->weights) {
        pdp_problem_set_whole(input->problem, "w", input->data[WEIGHTS], input->counts[WEIGHTS], 0);
    }
    if (input->has_modulus) {
        pdp_problem_set_whole(input->problem, "P", &input->modulus, 1, 0);
    }
    if (input->source) {
        pdp_problem_set_whole(input->problem, "x", input->data[SOURCE], input->counts[SOURCE], 0);
    }
    pdp_status status = pdp_problem_check(input->problem); /* fails if any of these did */
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_problem_error(input->problem));
}

static int create_mcm(problem_input *input) {
    pdp_status status = pdp_problem_create_mcm(&input->problem, input->data[0], input->counts[0]);
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_problem_error(input->problem));
}

int problem_input_load(problem_input *input) {
    if (input->random_detail && !input->is_random) {
        return cli_fail(EXIT_BAD_USE, "%s is for --random alone", input->random_detail);
    }
    int code = input->kind == PDP_INTERVAL ? load_mcm(input) : load_sdp(input);
    if (code == EXIT_DONE) {
        code = input->kind == PDP_INTERVAL ? create_mcm(input) : create_paper_sdp(input);
    }
    if (code == EXIT_DONE && (input->weights || input->source)) {
        code = check_weights(input);
        code = code == EXIT_DONE ? create_weighted_sdp(input) : code;
    }
    return code;
}
