/* Operators of `combine`: their names, what they fit, and whether a user's own is what it must be. */
#include "recurrence/combine.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "recurrence/interpret.h"
#include "recurrence/lexer.h"

static const char *const names[] = {"min", "max", "add", "mul", "and", "or", "xor", "gcd", "logsumexp"};
enum { NAME_COUNT = sizeof names / sizeof *names };

const char *pdp_op_name(pdp_op op) {
    return (unsigned)op < NAME_COUNT ? names[op] : "own";
}

bool pdp_op_find(pdp_op *out, const char *name) {
    for (unsigned op = 0; op < NAME_COUNT; op++) {
        if (strcmp(names[op], name) == 0) {
            *out = (pdp_op)op;
            return true;
        }
    }
    return false;
}

const char *pdp_recurrence_refuse_combine(const pdp_recurrence *recurrence, pdp_op op) {
    bool is_float = pdp_element_is_real(recurrence->element);
    if (recurrence->element == PDP_ELEMENT_MOD && op != PDP_OP_ADD && op != PDP_OP_MUL) {
        return "numbers modulo P have no order and no bits; expected add or mul";
    }
    switch (op) {
    case PDP_OP_AND:
    case PDP_OP_OR:
    case PDP_OP_XOR:
    case PDP_OP_GCD: return is_float ? "it needs whole numbers; expected min, max, add, mul or logsumexp" : NULL;
    case PDP_OP_LOGSUMEXP: return is_float ? NULL : "it needs floats; expected type f32 or f64";
    default: return NULL;
    }
}

/* ---- A user's own operator on random values ------------------------------------------------------ */

enum { SAMPLES = 500 };

/* Small at first, so that a counter-example is easy to read, then also large, of both signs. The product of three is
 * within what the interpreter has exactly. */
static pdp_value draw(uint64_t *random, pdp_element element, int sample) {
    static const int64_t sizes[] = {2, 9, 1000, (int64_t)1 << 33, (int64_t)1 << 40};
    int64_t size = sizes[pdp_random_between(random, 0, sample / 100)];
    switch (element) {
    case PDP_ELEMENT_F64:
        size = size > 1000000 ? 1000000 : size;
        return (pdp_value){.real = (double)(size * pdp_random_between(random, -1000, 1000)) / 1000};
    case PDP_ELEMENT_BITS:
        return (pdp_value){.whole = size > 9 ? pdp_random_next(random) : (uint64_t)pdp_random_between(random, 0, size)};
    default: return (pdp_value){.whole = pdp_random_between(random, -size, size)};
    }
}

/* The operator at work on one sample. */
typedef struct pdp_trial {
    pdp_bindings bindings;
    double largest;     /* float on the way: the scale of the tolerance */
    bool is_conclusive; /* all results were defined, and of a size at which they are exact */
} pdp_trial;

static pdp_value combine(pdp_trial *trial, pdp_value a, pdp_value b) {
    pdp_value result = pdp_interpret_combine(&trial->bindings, PDP_OP_OWN, a, b);
    if (trial->bindings.element == PDP_ELEMENT_F64) {
        trial->largest = fmax(fmax(trial->largest, fabs(result.real)), fmax(fabs(a.real), fabs(b.real)));
        trial->is_conclusive &= (bool)isfinite(result.real);
    } else {
        trial->is_conclusive &= result.whole < PDP_WHOLE_BEYOND && result.whole > -PDP_WHOLE_BEYOND;
    }
    trial->is_conclusive &= trial->bindings.error.status == PDP_OK;
    return result;
}

static bool differs(const pdp_trial *trial, pdp_value a, pdp_value b) {
    bool is_equal = trial->bindings.element == PDP_ELEMENT_F64 ? fabs(a.real - b.real) <= 1e-9 * trial->largest
                                                               : a.whole == b.whole;
    return trial->is_conclusive && !is_equal;
}

typedef struct pdp_digits {
    char text[48];
} pdp_digits;

static pdp_digits describe(const pdp_trial *trial, pdp_value value) {
    pdp_digits digits = {""};
    if (trial->bindings.element == PDP_ELEMENT_F64) {
        snprintf(digits.text, sizeof digits.text, "%.12g", value.real);
        return digits;
    }
    char reversed[48];
    size_t count = 0;
    pdp_uwide rest = value.whole < 0 ? -(pdp_uwide)value.whole : (pdp_uwide)value.whole;
    do {
        reversed[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    if (value.whole < 0) {
        reversed[count++] = '-';
    }
    for (size_t d = 0; d < count; d++) {
        digits.text[d] = reversed[count - 1 - d];
    }
    return digits;
}

static void check_associative(pdp_recurrence *recurrence, pdp_trial *trial, const pdp_value sample[3]) {
    pdp_value left = combine(trial, combine(trial, sample[0], sample[1]), sample[2]);
    pdp_value right = combine(trial, sample[0], combine(trial, sample[1], sample[2]));
    if (differs(trial, left, right)) {
        pdp_place_fail(&recurrence->error, recurrence->text, recurrence->nodes[recurrence->combine_own].place,
                       "not associative: of %s, %s, %s the first two first give %s, the last two first %s",
                       describe(trial, sample[0]).text, describe(trial, sample[1]).text,
                       describe(trial, sample[2]).text, describe(trial, left).text, describe(trial, right).text);
    }
}

static void check_identity(pdp_recurrence *recurrence, pdp_trial *trial, pdp_value value) {
    pdp_value identity = pdp_interpret_identity(&trial->bindings, PDP_OP_OWN);
    const pdp_value pairs[2][2] = {{identity, value}, {value, identity}};
    for (int side = 0; side < 2; side++) {
        trial->largest = 0;
        trial->is_conclusive = true;
        pdp_value result = combine(trial, pairs[side][0], pairs[side][1]);
        trial->largest = fabs(value.real); /* a large identity excuses nothing */
        if (differs(trial, result, value)) {
            pdp_place_fail(&recurrence->error, recurrence->text, recurrence->nodes[recurrence->combine_identity].place,
                           "not the identity: %s and %s give %s", describe(trial, pairs[side][0]).text,
                           describe(trial, pairs[side][1]).text, describe(trial, result).text);
        }
    }
}

pdp_status pdp_combine_check_own(pdp_recurrence *recurrence) {
    pdp_error *error = &recurrence->error;
    pdp_element element = recurrence->element == PDP_ELEMENT_F32 ? PDP_ELEMENT_F64 : recurrence->element;
    uint64_t random = 1;
    int conclusive = 0;
    recurrence->combine_ordered = false;
    for (int s = 0; s < SAMPLES && error->status == PDP_OK; s++) {
        pdp_trial trial = {.bindings = {.recurrence = recurrence, .element = element}, .is_conclusive = true};
        pdp_value sample[3];
        for (int v = 0; v < 3; v++) {
            sample[v] = draw(&random, element, s);
        }
        pdp_value forwards = combine(&trial, sample[0], sample[1]);
        pdp_value backwards = combine(&trial, sample[1], sample[0]);
        recurrence->combine_ordered |= differs(&trial, forwards, backwards);
        check_associative(recurrence, &trial, sample);
        conclusive += trial.is_conclusive;
        if (recurrence->combine_identity != PDP_NO_NODE) {
            check_identity(recurrence, &trial, sample[0]);
        }
    }
    if (conclusive == 0) {
        pdp_place_fail(error, recurrence->text, recurrence->nodes[recurrence->combine_own].place,
                       "it has no value for any of the numbers it was tried on");
    }
    return error->status;
}

/* ---- Operators that have a name ------------------------------------------------------------------- */

static bool is_operand(const pdp_recurrence *recurrence, uint32_t id) {
    const pdp_node *node = &recurrence->nodes[id];
    return node->kind == PDP_NODE_CELL && (node->which == PDP_CELL_FIRST || node->which == PDP_CELL_SECOND);
}

static bool are_operands(const pdp_recurrence *recurrence, uint32_t a, uint32_t b) {
    return is_operand(recurrence, a) && is_operand(recurrence, b) &&
           recurrence->nodes[a].which != recurrence->nodes[b].which;
}

/* min(x, y), x + y and the like, or x < y ? x : y in any of its forms; PDP_OP_OWN if it is none of them. */
static pdp_op find_named(const pdp_recurrence *recurrence) {
    const pdp_node *node = &recurrence->nodes[recurrence->combine_own];
    if ((node->kind == PDP_NODE_CALL || node->kind == PDP_NODE_BINARY) && node->op <= PDP_OP_XOR &&
        are_operands(recurrence, node->child[0], node->child[1])) {
        return node->op;
    }
    const pdp_node *test = &recurrence->nodes[node->child[0]];
    if (node->kind != PDP_NODE_CONDITIONAL || test->kind != PDP_NODE_BINARY ||
        !are_operands(recurrence, node->child[1], node->child[2]) ||
        !are_operands(recurrence, test->child[0], test->child[1])) {
        return PDP_OP_OWN;
    }
    const bool is_less = test->op == PDP_OP_LESS || test->op == PDP_OP_LESS_EQUAL;
    if (!is_less && test->op != PDP_OP_GREATER && test->op != PDP_OP_GREATER_EQUAL) {
        return PDP_OP_OWN;
    }
    const bool takes_first = recurrence->nodes[node->child[1]].which == recurrence->nodes[test->child[0]].which;
    return is_less == takes_first ? PDP_OP_MIN : PDP_OP_MAX;
}

/* Whether the identity that is written, if there is one, is that of the name: a cell may hold it. Where every cell has
 * a term none does, and the largest number is as good as none. */
static bool has_identity_of(const pdp_recurrence *recurrence, pdp_op op) {
    pdp_bindings bindings = {.recurrence = recurrence, .element = recurrence->element, .modulus = INT64_MAX};
    if (recurrence->combine_identity == PDP_NO_NODE) {
        return true;
    }
    const pdp_value own = pdp_interpret_identity(&bindings, PDP_OP_OWN);
    const pdp_value named = pdp_interpret_identity(&bindings, op);
    const bool is_equal = pdp_element_is_real(recurrence->element) ? own.real <= named.real && own.real >= named.real &&
                                                                         !signbit(own.real) == !signbit(named.real)
                                                                   : own.whole == named.whole;
    const bool is_last = pdp_element_is_whole(recurrence->element) && !recurrence->missing_skip &&
                         (op == PDP_OP_MIN ? own.whole >= INT64_MAX : op == PDP_OP_MAX && own.whole <= INT64_MIN);
    return (is_equal || is_last) && bindings.error.status == PDP_OK;
}

void pdp_combine_recognise(pdp_recurrence *recurrence) {
    const pdp_op op = find_named(recurrence);
    if (op != PDP_OP_OWN && !pdp_recurrence_refuse_combine(recurrence, op) && has_identity_of(recurrence, op)) {
        recurrence->combine = op;
        recurrence->combine_own = recurrence->combine_identity = PDP_NO_NODE;
    }
}
