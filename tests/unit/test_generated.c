/* Recurrences drawn from the grammar. The generator builds trees of its own, prints them as a file for the library, and
 * evaluates them itself, from the definition of the two shapes and C's meaning of the operators: the interpreter and
 * the compiled engine must give what it gives, cell by cell, the first cell that does not fit included. The file that
 * the library prints of what it read must mean the same.
 *
 * Whole numbers, bit sets and residues must be equal; floats within a tolerance, and under min and max the two methods
 * of the library must agree to the last bit. PIPEDP_GENERATED=S compiles the one drawn from S alone, and shows it. */
#include "support.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernel.h"

__extension__ typedef __int128 wide;

enum { MOST_TREES = 4000, MOST_POINTS = 140, MOST_ITEMS = 600, MOST_OFFSETS = 12, COLUMNS = 3, MOST_TEXT = 1 << 16 };

typedef enum element { WHOLE, I32, I64, F32, F64, BITS, MOD, ELEMENTS } element;

typedef enum operation {
    MIN,
    MAX,
    ADD,
    MUL,
    AND,
    OR,
    XOR,
    GCD,
    LOGSUMEXP,
    OWN, /* the operators of `combine`, as the language has them */
    SUBTRACT,
    DIVIDE,
    REMAINDER,
    LEFT_SHIFT,
    RIGHT_SHIFT,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    BOTH,
    EITHER,
    NEGATE,
    NOT,
    FLIP,
    ABS,
    SQRT,
    EXP,
    LOG,
    POW
} operation;

static const char *const operation_text[] = {
    "min", "max", "+",  "*",  "&",  "|",  "^",  "gcd", "logsumexp", "own", "-",   "/",    "%",   "<<",  ">>", "<",
    "<=",  ">",   ">=", "==", "!=", "&&", "||", "-",   "!",         "~",   "abs", "sqrt", "exp", "log", "pow"};
static const char *const fold_text[] = {"min", "max", "add", "mul", "and", "or", "xor"};

typedef enum kind {
    NUMBER,
    REAL,
    INDEX,    /* which: 0 i, 1 k, 2 j */
    CELL,     /* which: a cell */
    NAME,     /* which: a number that has a name */
    VARIABLE, /* which: of the fold around it */
    ARGUMENT, /* which: of the let */
    LOOKUP,   /* which: an input */
    SUM,      /* which: an input */
    FOLD,     /* operation; which: its variable; child: end, body */
    UNARY,
    BINARY,
    CHOICE,
    CALL,
    LET /* which */
} kind;

enum { L, R, INSIDE, S, BEST, X, Y, CELLS };
static const char *const cell_names[] = {"l", "r", "inside", "s", "best", "x", "y"};
enum { N, U, E, D, M, P, NAMES };
static const char *const number_names[] = {"n", "u", "e", "d", "m", "P"};
enum { ITEMS, PLACES, LETTERS, MATRIX, EXTRA, OFFSETS, WEIGHTS, DIVISORS, INPUTS };
static const char *const input_names[] = {"p", "t", "g", "c", "z", "o", "w", "v"};

typedef struct tree {
    kind kind;
    operation op;
    int which;
    int64_t number;
    double real;
    bool is_element; /* computed in the element type, not as a plain number */
    const struct tree *child[3];
} tree;

/* What an expression may name where it stands. */
typedef struct scope {
    bool has_i, has_k, has_j; /* interval: points; linear: i a cell, j an offset */
    unsigned cells;           /* bits */
    int folds;
    bool has_arguments;
} scope;

/* The recurrence at hand, with its data. */
static struct {
    bool is_interval;
    element type;
    operation combine;
    int own;       /* which of the operators below */
    int64_t shift; /* inputs have n + shift items */
    const tree *let[2];
    bool let_is_element[2];
    const tree *leaf, *empty, *term, *finish, *source, *preset;
    const tree *option[2], *condition[2];
    int options;
    int offset_form;
    bool skips, has_extra, is_given, uses_libm;

    int64_t size; /* points or cells: items of an input */
    int64_t number[NAMES];
    double real_parameter;
    int64_t whole[INPUTS][MOST_ITEMS * COLUMNS];
    double real[INPUTS][MOST_ITEMS * COLUMNS];
    int64_t offset[MOST_OFFSETS];
} f;

static tree trees[MOST_TREES];
static size_t tree_count;
static uint64_t chance;
static char text[MOST_TEXT];

static int64_t pick(int64_t low, int64_t high) {
    return pdp_random_between(&chance, low, high);
}

static bool flip(int64_t of) {
    return pick(1, of) == 1;
}

static bool is_float(void) {
    return f.type == F32 || f.type == F64;
}

/* ---- Trees ---- */

static bool is_truth(const tree *t) {
    return (t->kind == BINARY && t->op >= LESS && t->op <= EITHER) || (t->kind == UNARY && t->op == NOT);
}

static tree *node(kind what, operation op, int which, const tree *a, const tree *b, const tree *c) {
    assert_true(tree_count < MOST_TREES);
    tree *t = &trees[tree_count++];
    *t = (tree){.kind = what, .op = op, .which = which, .child = {a, b, c}};
    const bool is_shift = what == BINARY && (op == LEFT_SHIFT || op == RIGHT_SHIFT);
    for (int x = what == FOLD ? 1 : 0; x < 3; x++) {
        t->is_element |=
            t->child[x] && t->child[x]->is_element && what != LOOKUP && what != SUM && !(is_shift && x == 1);
    }
    if (what == LOOKUP || what == SUM) {
        t->is_element = which != PLACES && which != LETTERS && which != OFFSETS;
    } else if (what == CELL || what == REAL || (what == CALL && op >= SQRT)) {
        t->is_element = true;
    } else if (what == NAME) {
        t->is_element = which == E && is_float();
    } else if (what == LET) {
        t->is_element = f.let_is_element[which];
    }
    return t;
}

static tree *literal(int64_t number) {
    tree *t = node(NUMBER, ADD, 0, NULL, NULL, NULL);
    t->number = number;
    return t;
}

static tree *binary(operation op, const tree *a, const tree *b) {
    return node(BINARY, op, 0, a, b, NULL);
}

static tree *unary(operation op, const tree *a) {
    return node(UNARY, op, 0, a, NULL, NULL);
}

static tree *call(operation op, const tree *a, const tree *b) {
    return node(CALL, op, 0, a, b, NULL);
}

static tree *choice(const tree *a, const tree *b, const tree *c) {
    return node(CHOICE, ADD, 0, a, b, c);
}

static tree *cell(int which) {
    return node(CELL, ADD, which, NULL, NULL, NULL);
}

static tree *name(int which) {
    return node(NAME, ADD, which, NULL, NULL, NULL);
}

static tree *index_of(int which) {
    return node(INDEX, ADD, which, NULL, NULL, NULL);
}

static tree *lookup(int input, const tree *at) {
    return node(LOOKUP, ADD, input, at, NULL, NULL);
}

static tree *extent(void) {
    return f.shift == 0 ? name(N) : binary(ADD, name(N), literal(f.shift));
}

/* ---- Drawing expressions ---- */

static const tree *plain(scope where, int depth);

/* A plain number that is not negative. Sets have no sign, and a file of them no abs. */
static const tree *size_of(const tree *number) {
    return f.type == BITS ? binary(AND, number, literal(1023)) : call(ABS, number, NULL);
}

static bool is_of_term(scope where) {
    return where.has_i && (f.is_interval ? where.has_k : where.has_j);
}

/* What is inside an input where there is a term, and outside beside it. */
static const tree *inside_of_term(void) {
    static const int of[] = {1, 2, 2, 1, 0, 0},
                     step[] = {1, 1, 2, 1, 1, 2}; /* what is taken away; then what is added */
    const int64_t way = f.is_interval ? pick(0, 5) : -1;
    return way < 0 ? binary(SUBTRACT, index_of(0), literal(1))
                   : binary(way < 3 ? SUBTRACT : ADD, index_of(of[way]), literal(step[way]));
}

/* What is 0 nowhere, or only where there is no term. */
static const tree *divisor(scope where) {
    if (!is_of_term(where) || flip(2)) {
        return literal(pick(1, 9));
    }
    if (!f.is_interval) {
        return index_of(0);
    }
    switch (pick(0, 4)) {
    case 0: return binary(SUBTRACT, index_of(1), index_of(0));
    case 1: return binary(SUBTRACT, index_of(2), index_of(1));
    case 2: return binary(SUBTRACT, binary(SUBTRACT, extent(), literal(1)), index_of(1));
    case 3: return binary(SUBTRACT, index_of(2), literal(1));
    default: return index_of(1);
    }
}

/* Something of 0 .. size-1. */
static const tree *inside_input(scope where, int depth) {
    if (is_of_term(where) && flip(4)) {
        return inside_of_term();
    }
    const int64_t way = pick(0, depth > 0 ? 7 : 2);
    if (way < 3 && where.has_i) {
        const int points = f.is_interval ? (where.has_k ? 3 : where.has_j ? 2 : 1) : 1;
        const int which = (int)pick(0, points - 1);
        return index_of(points == 2 && which == 1 ? 2 : which);
    }
    switch (way) {
    case 3: return binary(REMAINDER, size_of(plain(where, depth - 1)), extent());
    case 4: return lookup(PLACES, inside_input(where, depth - 1));
    case 5: return call(MIN, size_of(plain(where, depth - 1)), binary(SUBTRACT, extent(), literal(1)));
    case 6:
        if (where.has_i) { /* what stands before it, if anything does */
            return choice(binary(GREATER, index_of(0), literal(0)), binary(SUBTRACT, index_of(0), literal(1)),
                          literal(0));
        }
        return literal(0);
    case 7:
        if (where.has_i) {
            return binary(SUBTRACT, binary(SUBTRACT, extent(), literal(1)), index_of(0));
        }
        return literal(0);
    default: return literal(0);
    }
}

/* A condition of plain numbers. */
static const tree *plain_truth(scope where, int depth) {
    if (depth > 0 && flip(4)) {
        return unary(NOT, plain_truth(where, depth - 1));
    }
    if (depth > 0 && flip(3)) {
        return binary(flip(2) ? BOTH : EITHER, plain_truth(where, depth - 1), plain_truth(where, depth - 1));
    }
    return binary((operation)pick(LESS, NOT_EQUAL), plain(where, depth - 1), plain(where, depth - 1));
}

static const tree *plain_leaf(scope where) {
    switch (pick(0, 6)) {
    case 0:
        if (where.has_i) {
            return index_of(0);
        }
        return literal(pick(0, 9));
    case 1:
        if (where.has_j) {
            return index_of(2);
        }
        return name(U);
    case 2:
        if (where.has_k) {
            return index_of(1);
        }
        return name(N);
    case 3:
        if (where.folds > 0) {
            return node(VARIABLE, ADD, (int)pick(0, where.folds - 1), NULL, NULL, NULL);
        }
        return literal(pick(0, 300));
    case 4:
        if (where.has_arguments) {
            return node(ARGUMENT, ADD, (int)pick(0, 1), NULL, NULL, NULL);
        }
        return name(U);
    default: return literal(pick(0, 9));
    }
}

/* A fold over a few values; empty ones only where they have a value that all agree on. */
static const tree *fold(scope where, int depth, operation op, const tree *body(scope, int)) {
    const bool is_never_empty = op == MIN || op == MAX;
    const tree *end =
        flip(2) || is_never_empty ? literal(pick(is_never_empty, 4)) : call(MIN, plain(where, depth - 1), literal(3));
    scope inside = where;
    inside.folds++;
    return node(FOLD, op, where.folds, end, body(inside, depth - 1), NULL);
}

static const tree *plain_call(scope where, int depth) {
    switch (pick(0, 5)) {
    case 0: return call(MIN, plain(where, depth - 1), plain(where, depth - 1));
    case 1: return call(MAX, plain(where, depth - 1), plain(where, depth - 1));
    case 2: return size_of(plain(where, depth - 1));
    case 3: return node(SUM, ADD, PLACES, inside_input(where, depth - 1), inside_input(where, depth - 1), NULL);
    case 4:
        if (where.folds < 2) {
            const operation op = (operation)pick(MIN, XOR);
            return fold(where, depth, op == MUL ? ADD : op, plain);
        }
        return lookup(LETTERS, inside_input(where, depth - 1));
    default:
        if (!where.has_arguments && !f.let_is_element[0]) {
            return node(LET, ADD, 0, plain(where, depth - 1), plain(where, depth - 1), NULL);
        }
        return lookup(PLACES, inside_input(where, depth - 1));
    }
}

/* What is far beyond int64 on its way to a number that is not. */
static const tree *plain_by_far(scope where) {
    const tree *product = binary(MUL, binary(MUL, plain_leaf(where), literal(INT64_C(1) << pick(30, 45))),
                                 literal((INT64_C(1) << 40) + pick(0, 9)));
    return binary(REMAINDER, product, literal(97));
}

/* Plain numbers: indices, sizes, whole parameters, letters, places. Nearly all stay far within int64. */
static const tree *plain(scope where, int depth) {
    if (flip(15)) {
        return plain_by_far(where);
    }
    if (depth <= 0) {
        return plain_leaf(where);
    }
    switch (pick(0, 9)) {
    case 0:
    case 1: return binary(ADD, plain(where, depth - 1), plain(where, depth - 1));
    case 2: return binary(SUBTRACT, plain(where, depth - 1), plain(where, depth - 1));
    case 3: return binary(MUL, plain(where, depth - 1), literal(pick(0, 9)));
    case 4: return binary(flip(2) ? DIVIDE : REMAINDER, plain(where, depth - 1), divisor(where));
    case 5: return binary((operation)pick(AND, XOR), plain(where, depth - 1), plain(where, depth - 1));
    case 6:
        return flip(2) ? unary(flip(2) ? NEGATE : FLIP, plain(where, depth - 1))
                       : binary(f.type != BITS && flip(2) ? LEFT_SHIFT : RIGHT_SHIFT, plain(where, depth - 1),
                                literal(flip(9) ? 64 : pick(0, 3)));
    case 7: return plain_truth(where, depth - 1);
    case 8: return choice(plain_truth(where, depth - 1), plain(where, depth - 1), plain(where, depth - 1));
    default: return plain_call(where, depth);
    }
}

/* A cell, an item, a weight, a parameter. */
static const tree *element_leaf(scope where) {
    if (where.cells != 0 && flip(2)) {
        int which = (int)pick(0, CELLS - 1);
        while (!(where.cells >> which & 1)) {
            which = (which + 1) % CELLS;
        }
        return cell(which);
    }
    switch (pick(0, 4)) {
    case 0: return node(LOOKUP, ADD, MATRIX, inside_input(where, 1), literal(pick(0, COLUMNS - 1)), NULL);
    case 1: return name(E);
    case 2:
        if (!f.is_interval && where.has_j) {
            return lookup(WEIGHTS, index_of(2));
        }
        return lookup(ITEMS, inside_input(where, 1));
    default: return lookup(ITEMS, inside_input(where, 1));
    }
}

static const tree *element_of(scope where, int depth);

/* No cell is as large as what is met on the way to this. */
static const tree *by_far(scope where) {
    return binary(REMAINDER, binary(MUL, element_leaf(where), literal(1000000007 * pick(1, 9))), literal(97));
}

/* Of an end of the recurrence, where no cell is looked at. */
static const tree *end_of(scope where) {
    return !is_float() && f.type != MOD && flip(3) ? by_far(where) : element_of(where, 2);
}

/* A condition that may look at elements: not modulo P, which have no order, and not in floats, where a rounding more or
 * less would decide it. */
static const tree *truth(scope where, int depth) {
    if (is_float() || f.type == MOD || flip(2)) {
        return plain_truth(where, depth);
    }
    if (depth > 0 && flip(3)) {
        return binary(flip(2) ? BOTH : EITHER, truth(where, depth - 1), truth(where, depth - 1));
    }
    if (flip(5)) {
        return unary(NOT, truth(where, depth - 1));
    }
    return binary((operation)pick(LESS, NOT_EQUAL), flip(3) ? by_far(where) : element_leaf(where),
                  element_of(where, depth - 1));
}

/* A look-up that is out of bounds, and a division by zero, where nobody asks for them. */
static const tree *unasked(const tree *any, const tree *instead) {
    const tree *never = binary(LESS, any, binary(SUBTRACT, any, literal(1)));
    const tree *before = lookup(ITEMS, binary(SUBTRACT, index_of(0), literal(1)));
    return choice(never, flip(2) ? before : binary(DIVIDE, any, index_of(0)), instead);
}

/* Whole numbers and bit sets have C's operators. */
static const tree *whole_element(scope where, int depth) {
    const tree *a = element_of(where, depth - 1);
    switch (pick(0, 15)) {
    case 0:
    case 1:
    case 2: return binary(ADD, a, element_of(where, depth - 1));
    case 3: return binary(SUBTRACT, a, element_of(where, depth - 1));
    case 4: return binary(MUL, a, flip(2) ? literal(pick(0, 9)) : element_leaf((scope){.has_i = where.has_i}));
    case 5:
        return binary(flip(2) ? DIVIDE : REMAINDER, element_leaf(where),
                      flip(2) ? literal(pick(1, 99)) : lookup(DIVISORS, inside_input(where, 1)));
    case 6: return binary((operation)pick(AND, XOR), a, element_of(where, depth - 1));
    case 7: return binary(LEFT_SHIFT, a, literal(flip(9) ? 64 : pick(0, 3)));
    case 8: return binary(RIGHT_SHIFT, element_leaf(where), flip(2) ? literal(pick(0, 40)) : plain(where, depth - 2));
    case 9: return unary(flip(2) ? NEGATE : FLIP, a);
    case 10: return call(flip(2) ? MIN : MAX, a, element_leaf(where));
    case 11: return f.type == BITS ? a : call(ABS, a, NULL);
    case 12: return choice(truth(where, depth - 1), a, element_of(where, depth - 1));
    case 13: return where.cells != 0 && f.type != BITS ? unasked(cell(__builtin_ctz(where.cells)), a) : a;
    case 14: return by_far(where);
    default: return binary(ADD, truth(where, depth - 1), a);
    }
}

static const tree *residue(scope where, int depth) {
    const tree *a = element_of(where, depth - 1);
    switch (pick(0, 5)) {
    case 0: return binary(ADD, a, element_of(where, depth - 1));
    case 1: return binary(SUBTRACT, a, element_of(where, depth - 1));
    case 2: return binary(MUL, a, element_of(where, depth - 1));
    case 3: return unary(NEGATE, a);
    case 4: return choice(plain_truth(where, depth - 1), a, element_of(where, depth - 1));
    default: return binary(ADD, plain(where, depth - 1), a);
    }
}

/* What does not make an error larger than it was. */
static const tree *float_element(scope where, int depth) {
    const tree *a = element_of(where, depth - 1);
    const tree *one = literal(1);
    tree *factor = node(REAL, ADD, 0, NULL, NULL, NULL);
    factor->real = (double)pick(1, 8) / 8;
    const operation function = (operation)pick(SQRT, POW);
    switch (pick(0, 8)) {
    case 0: return binary(MUL, factor, a);
    case 1: return binary(DIVIDE, a, flip(2) ? literal(pick(1, 9)) : lookup(DIVISORS, inside_input(where, 1)));
    case 2: return binary(DIVIDE, element_leaf((scope){.has_i = where.has_i}), binary(ADD, one, call(ABS, a, NULL)));
    case 3: return call(flip(2) ? MIN : MAX, a, element_leaf(where));
    case 4: return call(ABS, a, NULL);
    case 5:
        f.uses_libm |= function != SQRT;
        a = function == EXP ? call(MIN, a, literal(0)) : binary(ADD, one, call(ABS, a, NULL));
        return call(function, a, function == POW ? factor : NULL);
    case 6: return choice(plain_truth(where, depth - 1), a, element_leaf(where));
    case 7: return unary(NEGATE, a);
    default: return binary(flip(2) ? ADD : SUBTRACT, a, element_of((scope){.has_i = where.has_i}, depth - 1));
    }
}

static const tree *element_of(scope where, int depth) {
    if (depth <= 0) {
        return element_leaf(where);
    }
    switch (pick(0, 11)) {
    case 0: return plain(where, depth - 1);
    case 1: return element_leaf(where);
    case 2: return node(SUM, ADD, ITEMS, inside_input(where, depth - 1), inside_input(where, depth - 1), NULL);
    case 3:
        if (where.folds < 2 && !(is_float() && where.cells != 0)) {
            static const operation real_folds[] = {MIN, MAX, ADD};
            return fold(where, depth - 1,
                        f.type == MOD ? (operation)pick(ADD, MUL)
                        : is_float()  ? real_folds[pick(0, 2)]
                                      : (operation)pick(MIN, XOR),
                        element_of);
        }
        return element_leaf(where);
    case 4:
        if (!where.has_arguments && f.let_is_element[1]) {
            return node(LET, ADD, 1, plain(where, depth - 1), plain(where, depth - 1), NULL);
        }
        return element_leaf(where);
    default:
        return is_float()      ? float_element(where, depth)
               : f.type == MOD ? residue(where, depth)
                               : whole_element(where, depth);
    }
}

/* ---- Drawing recurrences ---- */

/* Operators of one's own, for whole numbers and sets; the first two also for floats. */
static const struct own {
    const char *text;
    const char *identity; /* NULL: none */
    bool is_ordered;
} owns[] = {
    {"x + y", "0", false}, {"max(x, y)", NULL, false}, /* its identity depends on the type */
    {"x ^ y", "0", false}, {"y == 0 ? x : y", "0", true}, {"x", NULL, true}, {"x + y + x*y", "0", false},
};
enum { OWN_SUM, OWN_MAX, OWN_XOR, OWN_LAST, OWN_FIRST, OWN_PRODUCT, OWNS };

static const char *own_identity(void) {
    return f.own != OWN_MAX ? owns[f.own].identity
           : f.type == BITS ? "0"
           : is_float()     ? "-1.0e30"
                            : "-9223372036854775807";
}

/* Terms may be missing, and a cell without any is infeasible. */
static bool can_miss(void) {
    return f.skips && !(f.source && (f.is_given || !f.has_extra)) && (f.combine == MIN || f.combine == MAX);
}

/* Makes the places and u plain numbers, in whatever else they are used. */
static const tree *anchor(void) {
    return lookup(ITEMS, lookup(PLACES, binary(MUL, literal(0), name(U))));
}

static bool grows(void) {
    return f.combine == ADD || f.combine == MUL || (f.combine == OWN && (f.own == OWN_SUM || f.own == OWN_PRODUCT));
}

static const tree *draw_float_term(scope where, const tree *rest) {
    const tree *sum = rest;
    for (int c = 0; c < CELLS; c++) {
        if (where.cells >> c & 1) {
            sum = binary(ADD, cell(c), sum);
        }
    }
    if (f.combine == MUL) { /* all products within e and 1/e */
        const tree *bounded = binary(DIVIDE, sum, binary(ADD, literal(1), call(ABS, sum, NULL)));
        return binary(ADD, literal(1), binary(DIVIDE, bounded, extent()));
    }
    return grows() || flip(2) ? sum : binary(ADD, element_of(where, 3), rest);
}

static const tree *draw_term(void) {
    scope where = {.has_i = true, .has_k = f.is_interval, .has_j = true};
    where.cells = f.is_interval ? 1u << L | 1u << R : 1u << S;
    scope without = where;
    without.cells = 0;
    const tree *rest = binary(ADD, element_of(without, 2), anchor());
    if (f.offset_form == 2) { /* j + 1: only the weights tell how many offsets there are */
        rest = binary(ADD, rest, lookup(WEIGHTS, index_of(2)));
    }
    if (is_float()) {
        return draw_float_term(where, rest);
    }
    if (can_miss() && flip(2)) {
        const tree *s = cell(S);
        return flip(3) ? call(flip(2) ? MIN : MAX, s, rest) : binary(flip(2) ? ADD : SUBTRACT, s, rest);
    }
    if (flip(2)) {
        const tree *first = cell(f.is_interval ? L : S);
        const tree *both = f.is_interval ? binary(ADD, first, cell(R)) : first;
        return binary(flip(4) && f.type != MOD ? XOR : ADD, both, rest);
    }
    return binary(ADD, element_of(where, 3), rest);
}

static const tree *draw_finish(void) {
    const tree *best = cell(BEST);
    const scope plain_scope = {.has_i = true, .has_j = f.is_interval};
    if (is_float()) {
        return grows() && f.combine != MUL ? binary(DIVIDE, best, binary(ADD, extent(), literal(MOST_OFFSETS)))
               : flip(2)                   ? binary(ADD, best, element_of(plain_scope, 2))
                                           : NULL;
    }
    if (f.type == MOD) {
        return flip(2) ? binary(MUL, best, element_of(plain_scope, 2)) : NULL;
    }
    if (!grows() && flip(2)) {
        return NULL;
    }
    scope where = plain_scope;
    where.cells = 1u << BEST;
    switch (pick(0, grows() ? 3 : 5)) {
    case 0: return binary(REMAINDER, best, literal(pick(2, 9999)));
    case 1: return binary(AND, best, literal(pick(1, 9999)));
    case 2: return binary(ADD, binary(REMAINDER, best, literal(pick(2, 99))), element_of(plain_scope, 2));
    case 3: return call(MIN, best, literal(pick(1, 999)));
    case 4: return binary(ADD, best, element_of(plain_scope, 2));
    default: return element_of(where, 3);
    }
}

static void draw_combine(void) {
    static const operation real_operators[] = {MIN, MAX, ADD, MUL, LOGSUMEXP, OWN};
    f.combine = f.type == MOD ? (flip(2) ? ADD : MUL) : is_float() ? real_operators[pick(0, 5)] : (operation)pick(0, 9);
    f.combine = f.combine == LOGSUMEXP && !is_float() ? MIN : f.combine;
    f.own = (int)pick(0, is_float() ? OWN_MAX : OWNS - 1);
    if (f.combine == OWN && (!own_identity() || (is_float() && f.own == OWN_MAX))) {
        f.skips = false; /* a cell of no terms would be far beyond the others */
    }
}

static void draw_clauses(void) {
    const scope point = {.has_i = true};
    const scope pair = {.has_i = true, .has_j = true, .cells = is_float() ? 0 : 1u << INSIDE};
    const tree *extra = lookup(EXTRA, index_of(0));
    f.has_extra = flip(3);
    if (f.is_interval) {
        f.leaf = binary(ADD, end_of(point), anchor());
        f.empty = element_of(point, 1);
        for (f.options = 0; f.options < 2 && flip(3) && !(is_float() && f.combine == MUL); f.options++) {
            const tree *value = element_of(pair, 2);
            if (is_float()) {
                value = binary(ADD, cell(INSIDE), value);
            }
            f.option[f.options] = f.has_extra && f.options == 0 ? binary(ADD, value, extra) : value;
            f.condition[f.options] = flip(2) ? truth(pair, 2) : NULL;
        }
        f.has_extra = f.has_extra && f.options > 0;
    } else {
        f.preset = end_of(point);
        f.source = flip(2) ? element_of(point, 2) : NULL;
        f.has_extra = f.has_extra && f.source;
        f.source = f.has_extra ? binary(ADD, f.source, extra) : f.source;
    }
    f.term = draw_term();
    f.finish = draw_finish();
}

static void draw_recurrence(uint64_t seed) {
    chance = seed;
    tree_count = 0;
    memset(&f, 0, sizeof f);
    f.is_interval = flip(2);
    f.type = (element)pick(0, ELEMENTS - 1);
    f.shift = pick(0, 2);
    f.skips = !f.is_interval && flip(2);
    f.is_given = flip(2);
    f.offset_form = f.is_interval ? 0 : (int)pick(0, 2);
    draw_combine();
    f.let[0] = plain((scope){.has_arguments = true}, 2);
    f.let[1] = element_of((scope){.has_arguments = true}, 2);
    f.let_is_element[1] = f.let[1]->is_element;
    draw_clauses();
}

/* ---- Printing ---- */

static int tightness(const tree *t) {
    static const int of_binary[] = {
        [ADD] = 9,     [MUL] = 10,          [AND] = 5,        [OR] = 3,          [XOR] = 4,  [SUBTRACT] = 9,
        [DIVIDE] = 10, [REMAINDER] = 10,    [LEFT_SHIFT] = 8, [RIGHT_SHIFT] = 8, [LESS] = 7, [LESS_EQUAL] = 7,
        [GREATER] = 7, [GREATER_EQUAL] = 7, [EQUAL] = 6,      [NOT_EQUAL] = 6,   [BOTH] = 2, [EITHER] = 1};
    return t->kind == BINARY ? of_binary[t->op] : t->kind == CHOICE ? 0 : t->kind == UNARY ? 11 : 12;
}

static void print_tree(FILE *out, const tree *t, int least);

static void print_list(FILE *out, const tree *t, const char *open, const char *close) {
    fputs(open, out);
    for (int x = 0; x < 3 && t->child[x]; x++) {
        fputs(x > 0 ? ", " : "", out);
        print_tree(out, t->child[x], 0);
    }
    fputs(close, out);
}

/* With as few brackets as C's rules allow. */
static void print_tree(FILE *out, const tree *t, int least) {
    const int own = tightness(t);
    fputs(own < least ? "(" : "", out);
    switch (t->kind) {
    case NUMBER: fprintf(out, flip(9) ? "0x%" PRIx64 : "%" PRId64, t->number); break;
    case REAL: fprintf(out, "%.3f", t->real); break;
    case INDEX: fputc("ikj"[t->which], out); break;
    case CELL: fputs(cell_names[t->which], out); break;
    case NAME: fputs(number_names[t->which], out); break;
    case VARIABLE: fprintf(out, "q%d", t->which); break;
    case ARGUMENT: fputc("ab"[t->which], out); break;
    case LOOKUP:
        fputs(input_names[t->which], out);
        print_list(out, t, "[", "]");
        break;
    case SUM:
        fprintf(out, "sum(%s, ", input_names[t->which]);
        print_list(out, t, "", ")");
        break;
    case FOLD:
        fprintf(out, "%s[q%d < ", fold_text[t->op], t->which);
        print_tree(out, t->child[0], 0);
        fputs("] ", out);
        print_tree(out, t->child[1], 12);
        break;
    case UNARY:
        fputs(operation_text[t->op], out);
        print_tree(out, t->child[0], 11);
        break;
    case BINARY:
        print_tree(out, t->child[0], own);
        fprintf(out, "%s%s ", flip(20) ? "\n      " : " ", operation_text[t->op]);
        print_tree(out, t->child[1], own + 1);
        break;
    case CHOICE:
        print_tree(out, t->child[0], 1);
        fputs(" ? ", out);
        print_tree(out, t->child[1], 0);
        fputs(" : ", out);
        print_tree(out, t->child[2], 0);
        break;
    case CALL:
    case LET:
        fputs(t->kind == CALL ? operation_text[t->op] : t->which == 0 ? "first" : "second", out);
        print_list(out, t, "(", ")");
        break;
    }
    fputs(own < least ? ")" : "", out);
}

static void print_clause(FILE *out, const char *clause, const tree *t) {
    if (t) {
        fprintf(out, "  %-7s ", clause);
        print_tree(out, t, 0);
        fputs(flip(5) ? "   # a remark\n" : "\n", out);
    }
}

static void print_declarations(FILE *out) {
    static const char *const types[] = {"", "i32", "i64", "f32", "f64", "bits", "mod P"};
    char size[32] = "n";
    if (f.shift > 0) {
        snprintf(size, sizeof size, "n+%" PRId64, f.shift);
    }
    fprintf(out, "%s generated\n", f.is_interval ? "interval" : "linear");
    if (f.type != WHOLE) {
        fprintf(out, "  type    %s\n", types[f.type]);
    }
    fputs(f.type == MOD ? "  param   P >= 2 = 97\n" : "", out);
    fprintf(out, "  param   u >= 0 <= 9 = 3\n  param   e = 2\n");
    fprintf(out, "  input   p[%s]\n  input   t[%s] >= 0 <= %s-1\n  input   g[%s] in \"xyz\"\n", size, size, size, size);
    fprintf(out, "  input   c[%s, %d]\n  input   v[%s] >= 1\n", size, COLUMNS, size);
    if (f.has_extra) {
        fprintf(out, "  input   z[%s] optional\n", size);
    }
    fputs(f.is_interval ? "" : "  param   m >= 0\n  input   o[d] >= 1\n  input   w[d]\n", out);
    for (int x = 0; x < 2; x++) {
        fprintf(out, "  let     %s(a, b) = ", x == 0 ? "first" : "second");
        print_tree(out, f.let[x], 0);
        fputc('\n', out);
    }
    fprintf(out, "  size    %s\n", size);
}

static void print_combine(FILE *out) {
    if (f.combine != OWN) {
        const char *combine =
            f.combine == GCD || f.combine == LOGSUMEXP ? operation_text[f.combine] : fold_text[f.combine];
        fprintf(out, "  combine %s\n", combine);
        return;
    }
    fprintf(out, "  combine (x, y) %s", owns[f.own].text);
    if (own_identity()) {
        fprintf(out, " identity %s", own_identity());
    }
    fputc('\n', out);
}

static void print_recurrence(void) {
    static const char *const offset_forms[] = {"o[j]", "2*o[j] - 1", "j + 1"};
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    print_declarations(out);
    print_clause(out, "leaf", f.leaf);
    print_clause(out, "empty", f.options > 0 ? f.empty : NULL);
    if (!f.is_interval) {
        fputs(f.skips ? "  missing skip\n" : "", out);
        fprintf(out, "  offset  %s\n", offset_forms[f.offset_form]);
        fputs("  preset  m : ", out);
        print_tree(out, f.preset, 0);
        fputc('\n', out);
    }
    print_clause(out, "source", f.source);
    print_clause(out, "term", f.term);
    for (int x = 0; x < f.options; x++) {
        fputs("  option  ", out);
        print_tree(out, f.option[x], 0);
        if (f.condition[x]) {
            fputs("\n          if ", out);
            print_tree(out, f.condition[x], 0);
        }
        fputc('\n', out);
    }
    print_clause(out, "finish", f.finish);
    print_combine(out);
    fputs(f.is_interval ? "  report  tree\n" : "  report  items\n", out);
    assert_int_equal(fclose(out), 0);
}

/* ---- Evaluating ---- */

typedef union value {
    wide whole;
    double real;
} value;

typedef struct context {
    int64_t index[3];
    value cell[CELLS];
    int64_t variable[4];
    int64_t argument[2];
} context;

#define INFINITE ((wide)1 << 126)

static bool is_too_large; /* a number on the way is larger than the interpreter promises to keep exact */
static double largest;    /* float on the way */

static wide keep(wide a) {
    is_too_large |= a > (wide)1 << 110 || a < -((wide)1 << 110);
    return a;
}

static bool is_infinite(wide a) {
    return a >= INFINITE / 2 || a <= -INFINITE / 2;
}

static value evaluate(context *c, const tree *t);

/* A plain number that meets an element. */
static value promote(wide a) {
    if (is_float()) {
        return (value){.real = (double)a};
    }
    if (f.type == MOD) {
        const wide rest = a % f.number[P];
        return (value){.whole = rest < 0 ? rest + f.number[P] : rest};
    }
    return (value){.whole = f.type == BITS ? (wide)(uint64_t)a : a};
}

static value evaluate_element(context *c, const tree *t) {
    const value found = evaluate(c, t);
    return t->is_element && !is_truth(t) ? found : promote(found.whole);
}

static wide gcd(wide a, wide b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        const wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static wide multiply(wide a, wide b) {
    const wide size = a < 0 ? -a : a;
    const wide other = b < 0 ? -b : b;
    if (other != 0 && size > ((wide)1 << 110) / other) {
        is_too_large = true;
        return 0;
    }
    return a * b;
}

/* C on numbers without an end; a shift by less than 0 or more than 63 leaves nothing. */
static wide operate_whole(operation op, wide a, wide b) {
    if (is_infinite(a) || is_infinite(b)) {
        const bool adds = op == ADD || op == SUBTRACT;
        return adds ? (is_infinite(a) ? a : op == ADD ? b : -b) : op == MIN ? (a < b ? a : b) : a > b ? a : b;
    }
    switch (op) {
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MUL: return multiply(a, b);
    case DIVIDE: return a / b;
    case REMAINDER: return a % b;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case GCD: return gcd(a, b);
    case LEFT_SHIFT: return b < 0 || b > 63 ? 0 : multiply(a, (wide)1 << b);
    case RIGHT_SHIFT: return b < 0 || b > 63 ? 0 : a >> b;
    default: return 0;
    }
}

static double operate_real(operation op, double a, double b) {
    switch (op) {
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MUL: return a * b;
    case DIVIDE: return a / b;
    case POW: return pow(a, b);
    case LOGSUMEXP: return isinf(fmax(a, b)) ? fmax(a, b) : fmax(a, b) + log(exp(a - fmax(a, b)) + exp(b - fmax(a, b)));
    default: return 0;
    }
}

/* a (op) b of elements. */
static value operate(operation op, value a, value b) {
    if (is_float()) {
        const double real = operate_real(op, a.real, b.real);
        largest = isfinite(real) ? fmax(largest, fabs(real)) : largest;
        return (value){.real = real};
    }
    if (f.type == BITS) {
        const uint64_t x = (uint64_t)a.whole;
        const uint64_t y = (uint64_t)b.whole;
        return (value){.whole = op == ADD          ? x + y
                                : op == SUBTRACT   ? x - y
                                : op == MUL        ? x * y
                                : op == LEFT_SHIFT ? (b.whole < 0 || b.whole > 63 ? 0 : x << y)
                                                   : operate_whole(op, a.whole, b.whole)};
    }
    const wide found = f.type == MOD && op == MUL ? a.whole * b.whole : operate_whole(op, a.whole, b.whole);
    return f.type == MOD ? promote(found) : (value){.whole = is_infinite(found) ? found : keep(found)};
}

static bool is_true(operation op, int order) {
    return op == LESS            ? order < 0
           : op == LESS_EQUAL    ? order <= 0
           : op == GREATER       ? order > 0
           : op == GREATER_EQUAL ? order >= 0
           : op == EQUAL         ? order == 0
                                 : order != 0;
}

static wide evaluate_truth(context *c, const tree *t) {
    if (t->kind == UNARY) {
        return !evaluate(c, t->child[0]).whole;
    }
    if (t->op == BOTH) {
        return evaluate(c, t->child[0]).whole != 0 && evaluate(c, t->child[1]).whole != 0;
    }
    if (t->op == EITHER) {
        return evaluate(c, t->child[0]).whole != 0 || evaluate(c, t->child[1]).whole != 0;
    }
    const bool compares_elements = t->child[0]->is_element || t->child[1]->is_element;
    const value a = compares_elements ? evaluate_element(c, t->child[0]) : evaluate(c, t->child[0]);
    const value b = compares_elements ? evaluate_element(c, t->child[1]) : evaluate(c, t->child[1]);
    return is_true(t->op, (a.whole > b.whole) - (a.whole < b.whole));
}

/* An item of an input, or the sum of some. */
static value evaluate_input(context *c, const tree *t) {
    const int64_t a = (int64_t)evaluate(c, t->child[0]).whole;
    const int64_t b = t->child[1] ? (int64_t)evaluate(c, t->child[1]).whole : 0;
    const bool is_real = is_float() && t->is_element;
    value sum = {.whole = 0};
    if (is_real) {
        sum.real = 0;
    }
    if (t->kind == LOOKUP) {
        const int64_t at = t->which == MATRIX ? a * COLUMNS + b : a;
        assert_true(a >= 0 && (a < f.size || t->which == WEIGHTS));
        return is_real ? (value){.real = f.real[t->which][at]}
                       : (value){.whole = t->is_element ? promote(f.whole[t->which][at]).whole : f.whole[t->which][at]};
    }
    for (int64_t x = a; x < b; x++) {
        sum = is_real ? (value){.real = sum.real + f.real[t->which][x]}
                      : (value){.whole = sum.whole + f.whole[t->which][x]};
    }
    return is_real || !t->is_element ? sum : promote(sum.whole);
}

static value evaluate_fold(context *c, const tree *t) {
    const wide end = evaluate(c, t->child[0]).whole;
    const wide empty = t->op == MUL ? 1 : t->op == AND ? -1 : 0;
    value found = t->is_element ? promote(empty) : (value){.whole = empty};
    for (int64_t q = 0; q < end; q++) {
        c->variable[t->which] = q;
        const value next = t->is_element ? evaluate_element(c, t->child[1]) : evaluate(c, t->child[1]);
        found = q == 0          ? next
                : t->is_element ? operate(t->op, found, next)
                                : (value){.whole = operate_whole(t->op, found.whole, next.whole)};
    }
    return found;
}

static value evaluate_call(context *c, const tree *t) {
    const value a = t->is_element ? evaluate_element(c, t->child[0]) : evaluate(c, t->child[0]);
    if (t->op == ABS) {
        return is_float() && t->is_element ? (value){.real = fabs(a.real)}
                                           : (value){.whole = a.whole < 0 ? -a.whole : a.whole};
    }
    if (t->child[1]) {
        const value b = t->is_element ? evaluate_element(c, t->child[1]) : evaluate(c, t->child[1]);
        return t->is_element ? operate(t->op, a, b) : (value){.whole = operate_whole(t->op, a.whole, b.whole)};
    }
    return (value){.real = t->op == SQRT ? sqrt(a.real) : t->op == EXP ? exp(a.real) : log(a.real)};
}

static value evaluate_operation(context *c, const tree *t) {
    const bool is_shift = t->kind == BINARY && (t->op == LEFT_SHIFT || t->op == RIGHT_SHIFT);
    const value a = t->is_element ? evaluate_element(c, t->child[0]) : evaluate(c, t->child[0]);
    if (t->kind == UNARY && t->op == FLIP) {
        return t->is_element ? promote(~a.whole) : (value){.whole = ~a.whole};
    }
    if (t->kind == UNARY) {
        return is_float() && t->is_element ? (value){.real = -a.real}
               : t->is_element             ? operate(SUBTRACT, (value){.whole = 0}, a)
                                           : (value){.whole = -a.whole};
    }
    const value b = t->is_element && !is_shift ? evaluate_element(c, t->child[1]) : evaluate(c, t->child[1]);
    return t->is_element ? operate(t->op, a, b) : (value){.whole = keep(operate_whole(t->op, a.whole, b.whole))};
}

static value evaluate(context *c, const tree *t) {
    if (is_truth(t)) {
        return (value){.whole = evaluate_truth(c, t)};
    }
    switch (t->kind) {
    case NUMBER: return (value){.whole = t->number};
    case REAL: return (value){.real = t->real};
    case INDEX: return (value){.whole = c->index[t->which]};
    case CELL: return c->cell[t->which];
    case NAME: return t->is_element ? (value){.real = f.real_parameter} : (value){.whole = f.number[t->which]};
    case VARIABLE: return (value){.whole = c->variable[t->which]};
    case ARGUMENT: return (value){.whole = c->argument[t->which]};
    case LOOKUP:
    case SUM: return evaluate_input(c, t);
    case FOLD: return evaluate_fold(c, t);
    case CHOICE: {
        const tree *chosen = t->child[evaluate(c, t->child[0]).whole != 0 ? 1 : 2];
        return t->is_element ? evaluate_element(c, chosen) : evaluate(c, chosen);
    }
    case CALL: return evaluate_call(c, t);
    case LET: {
        context inside = *c;
        inside.argument[0] = (int64_t)evaluate(c, t->child[0]).whole;
        inside.argument[1] = (int64_t)evaluate(c, t->child[1]).whole;
        return evaluate(&inside, f.let[t->which]);
    }
    default: return evaluate_operation(c, t);
    }
}

/* ---- Solving by the definition ---- */

/* By the operators' meaning; the first of them is what an own operator without an identity starts with. */
static value combine(value a, value b) {
    const wide x = a.whole;
    const wide y = b.whole;
    if (f.combine != OWN) {
        return operate(f.combine, a, b);
    }
    switch (f.own) {
    case OWN_SUM: return operate(ADD, a, b);
    case OWN_MAX: return operate(MAX, a, b);
    case OWN_XOR: return operate(XOR, a, b);
    case OWN_LAST: return y == 0 ? a : b;
    case OWN_FIRST: return a;
    default: return operate(ADD, operate(ADD, (value){.whole = x}, b), operate(MUL, a, b));
    }
}

static value identity(void) {
    const bool is_set = f.type == BITS;
    if (is_float()) {
        return (value){.real = f.combine == MIN                             ? (double)INFINITY
                               : f.combine == MAX || f.combine == LOGSUMEXP ? -(double)INFINITY
                               : f.combine == MUL                           ? 1
                               : f.combine == OWN && f.own == OWN_MAX       ? -1.0e30
                                                                            : 0};
    }
    switch (f.combine) {
    case MIN: return (value){.whole = is_set ? (wide)UINT64_MAX : INFINITE};
    case MAX: return (value){.whole = is_set ? 0 : -INFINITE};
    case MUL: return (value){.whole = 1};
    case AND: return (value){.whole = is_set ? (wide)UINT64_MAX : -1};
    case OWN: return (value){.whole = f.own == OWN_MAX && !is_set ? -INT64_MAX : 0};
    default: return (value){.whole = 0};
    }
}

static value expected[MOST_POINTS * MOST_POINTS];

static value *cell_at(int64_t row, int64_t column) {
    return &expected[row * MOST_POINTS + column];
}

static value solve_cell(context *c, int64_t i, int64_t j) {
    c->index[0] = i;
    c->index[2] = j;
    if (j == i + 1) {
        return evaluate_element(c, f.leaf);
    }
    value sum = {.whole = 0};
    for (int64_t k = i + 1; k < j; k++) {
        c->index[1] = k;
        c->cell[L] = *cell_at(i, k);
        c->cell[R] = *cell_at(k, j);
        const value term = evaluate_element(c, f.term);
        sum = combine(k > i + 1 || own_identity() || f.combine != OWN ? (k > i + 1 ? sum : identity()) : term, term);
    }
    if (f.options > 0 && j == i + 2) {
        c->index[0] = i + 1;
        c->cell[INSIDE] = evaluate_element(c, f.empty);
        c->index[0] = i;
    } else if (f.options > 0) {
        c->cell[INSIDE] = *cell_at(i + 1, j - 1);
    }
    for (int x = 0; x < f.options; x++) {
        const bool holds =
            (x > 0 || !f.has_extra || f.is_given) && (!f.condition[x] || evaluate(c, f.condition[x]).whole != 0);
        sum = holds ? combine(sum, evaluate_element(c, f.option[x])) : sum;
    }
    c->cell[BEST] = sum;
    return f.finish ? evaluate_element(c, f.finish) : sum;
}

/* No term is made of an infeasible cell, and nothing else. */
static bool is_infeasible(value found) {
    return can_miss() && f.type != BITS && (is_float() ? (bool)isinf(found.real) : is_infinite(found.whole));
}

static value solve_line(context *c, int64_t i) {
    const bool has_source = f.source && (!f.has_extra || f.is_given);
    c->index[0] = i;
    if (i < f.number[M]) {
        return evaluate_element(c, f.preset);
    }
    /* What is alone is not combined: a single gcd keeps its sign. */
    const bool is_alone = f.combine == GCD && f.number[D] == 1 && !has_source;
    bool is_first = (f.combine == OWN && !own_identity()) || is_alone;
    value sum = has_source ? evaluate_element(c, f.source) : identity();
    is_first = is_first && !has_source;
    for (int64_t j = 0; j < f.number[D]; j++) {
        if (f.offset[j] <= i && !is_infeasible(expected[i - f.offset[j]])) {
            c->index[2] = j;
            c->cell[S] = expected[i - f.offset[j]];
            const value term = evaluate_element(c, f.term);
            sum = is_first ? term : combine(sum, term);
            is_first = false;
        }
    }
    c->cell[BEST] = sum;
    return f.finish && !is_infeasible(sum) ? evaluate_element(c, f.finish) : sum;
}

static bool fits(value found) {
    const wide most = f.type == I32 ? INT32_MAX : INT64_MAX;
    return is_float() || f.type == BITS || f.type == MOD || (can_miss() && is_infinite(found.whole)) ||
           (found.whole <= most && found.whole >= -most - 1);
}

/* Fills the table in the library's order. False, with the cell, if one does not fit. */
static bool solve_directly(int64_t *row, int64_t *column) {
    context c = {.index = {0}};
    is_too_large = false;
    largest = 1;
    for (*row = f.is_interval ? f.size - 2 : 0; *row >= 0; --*row) {
        for (*column = f.is_interval ? *row + 1 : 0; *column < f.size; ++*column) {
            value *found = f.is_interval ? cell_at(*row, *column) : &expected[*column];
            *found = f.is_interval ? solve_cell(&c, *row, *column) : solve_line(&c, *column);
            if (!fits(*found) || is_too_large) {
                return false;
            }
        }
    }
    return true;
}

/* ---- Data ---- */

static void draw_data(int64_t size) {
    size = size < f.shift ? f.shift : size;
    f.size = size;
    f.number[N] = size - f.shift;
    f.number[U] = pick(0, 9);
    f.number[E] = pick(-9, 9);
    f.number[P] = flip(2) ? pick(2, 999) : pick(2, flip(2) ? INT32_MAX : INT64_MAX);
    f.real_parameter = (double)pick(-70, 70) / 70;
    static const int64_t sizes[] = {9, 9, 100000, INT64_C(1) << 33, INT64_C(1) << 50};
    const bool is_wide = (f.type == BITS || f.type == MOD) && flip(2);
    const int64_t most_item = sizes[pick(0, f.type == I32 ? 1 : 4)];
    for (int input = 0; input < INPUTS; input++) {
        for (size_t x = 0; x < MOST_ITEMS * COLUMNS; x++) {
            f.whole[input][x] = is_wide ? (int64_t)pdp_random_next(&chance) : pick(-most_item, most_item);
            f.real[input][x] = (double)pick(-70, 70) / 70;
        }
    }
    for (size_t x = 0; x < MOST_ITEMS; x++) {
        f.whole[PLACES][x] = pick(0, size - 1);
        f.whole[LETTERS][x] = pick(0, 2);
        f.whole[DIVISORS][x] = pick(1, 9);
        f.real[DIVISORS][x] = (double)pick(70, 700) / 70;
    }
    f.number[D] = pick(1, MOST_OFFSETS);
    f.number[M] = f.skips ? pick(0, 3) : 0;
    const int64_t most = flip(2) ? 6 : size / pick(1, 3) + 2;
    for (int64_t j = 0; j < f.number[D]; j++) {
        f.whole[OFFSETS][j] = pick(1, most);
        f.offset[j] = f.offset_form == 0   ? f.whole[OFFSETS][j]
                      : f.offset_form == 1 ? 2 * f.whole[OFFSETS][j] - 1
                                           : j + 1;
        f.number[M] = !f.skips && f.offset[j] > f.number[M] ? f.offset[j] : f.number[M];
    }
}

static pdp_recurrence *parse(const char *from) {
    pdp_recurrence *recurrence;
    const pdp_status status = pdp_recurrence_parse(&recurrence, from, strlen(from));
    CHECK(status == PDP_OK, "%s\n%s", from, pdp_recurrence_error(recurrence));
    return recurrence;
}

static void give(pdp_problem *problem, int input, int64_t count, int columns) {
    const bool is_real = is_float() && input != PLACES && input != OFFSETS;
    const pdp_status status =
        is_real ? pdp_problem_set_real(problem, input_names[input], f.real[input], (size_t)count, (size_t)columns)
                : pdp_problem_set_whole(problem, input_names[input], f.whole[input], (size_t)count, (size_t)columns);
    CHECK(status == PDP_OK, "%s", pdp_problem_error(problem));
}

static pdp_problem *make_problem(const pdp_recurrence *recurrence) {
    pdp_problem *problem;
    char letters[MOST_ITEMS];
    for (int64_t x = 0; x < f.size; x++) {
        letters[x] = "xyz"[f.whole[LETTERS][x]];
    }
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    assert_int_equal(pdp_problem_set_text(problem, "g", letters, (size_t)f.size), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "u", &f.number[U], 1, 0), PDP_OK);
    give(problem, ITEMS, f.size, 0);
    give(problem, PLACES, f.size, 0);
    give(problem, MATRIX, f.size, COLUMNS);
    give(problem, DIVISORS, f.size, 0);
    if (is_float()) {
        assert_int_equal(pdp_problem_set_real(problem, "e", &f.real_parameter, 1, 0), PDP_OK);
    } else {
        assert_int_equal(pdp_problem_set_whole(problem, "e", &f.number[E], 1, 0), PDP_OK);
    }
    if (f.type == MOD) {
        assert_int_equal(pdp_problem_set_whole(problem, "P", &f.number[P], 1, 0), PDP_OK);
    }
    if (f.has_extra && f.is_given) {
        give(problem, EXTRA, f.size, 0);
    }
    if (!f.is_interval) {
        assert_int_equal(pdp_problem_set_whole(problem, "m", &f.number[M], 1, 0), PDP_OK);
        give(problem, OFFSETS, f.number[D], 0);
        give(problem, WEIGHTS, f.number[D], 0);
    }
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s\n%s", text, pdp_problem_error(problem));
    return problem;
}

/* ---- Comparing ---- */

static uint64_t seed_at_hand;

/* A failure shows the file, and the seed that draws it alone. */
#define EXPECT(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("PIPEDP_GENERATED=%" PRIu64 "\n%s", seed_at_hand, text);                                       \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            fail_msg("%s", #condition);                                                                                \
        }                                                                                                              \
    } while (0)

static void check_reals(const pdp_solution *solution, const char *how) {
    double cells[MOST_ITEMS];
    const double tolerance = largest * 64 * (double)f.size * (f.type == F32 ? (double)FLT_EPSILON : DBL_EPSILON);
    for (int64_t row = 0; row < (f.is_interval ? f.size : 1); row++) {
        assert_int_equal(pdp_solution_real_row(solution, (size_t)row, cells, (size_t)f.size), PDP_OK);
        for (int64_t column = f.is_interval ? row + 1 : 0; column < f.size; column++) {
            const double wanted = f.is_interval ? cell_at(row, column)->real : expected[column].real;
            EXPECT(fabs(cells[column] - wanted) <= tolerance || (isinf(wanted) && cells[column] == wanted),
                   "%s, %" PRId64 " points: cell (%" PRId64 ",%" PRId64 ") is %.17g, not %.17g", how, f.size, row,
                   column, cells[column], wanted);
        }
    }
}

static void check_wholes(const pdp_solution *solution, const char *how) {
    int64_t cells[MOST_ITEMS];
    for (int64_t row = 0; row < (f.is_interval ? f.size : 1); row++) {
        assert_int_equal(pdp_solution_row(solution, (size_t)row, cells, (size_t)f.size), PDP_OK);
        for (int64_t column = f.is_interval ? row + 1 : 0; column < f.size; column++) {
            const wide found = f.is_interval ? cell_at(row, column)->whole : expected[column].whole;
            const int64_t wanted = !is_infinite(found) ? (int64_t)found : found > 0 ? INT64_MAX : INT64_MIN;
            EXPECT(cells[column] == wanted,
                   "%s, %" PRId64 " points: cell (%" PRId64 ",%" PRId64 ") is %" PRId64 ", not %" PRId64, how, f.size,
                   row, column, cells[column], wanted);
        }
    }
}

/* The run gave the expected table, or failed at the expected cell. */
static void check_run(const pdp_solution *solution, bool is_solved, int64_t row, int64_t column, const char *how) {
    char cell[64];
    if (!is_solved) {
        if (f.is_interval) {
            snprintf(cell, sizeof cell, "cell (%" PRId64 ", %" PRId64 "):", row, column);
        } else {
            snprintf(cell, sizeof cell, "cell %" PRId64 ":", column);
        }
        EXPECT(strncmp(pdp_solution_error(solution), cell, strlen(cell)) == 0, "%s: expected '%s', found '%s'", how,
               cell, pdp_solution_error(solution));
        return;
    }
    EXPECT(*pdp_solution_error(solution) == '\0', "%s, %" PRId64 " points: %s", how, f.size,
           pdp_solution_error(solution));
    if (is_float()) {
        check_reals(solution, how);
    } else {
        check_wholes(solution, how);
    }
}

/* Under min and max the two methods agree in everything: floats to the last bit, and decisions. */
static void check_alike(const pdp_solution *a, const pdp_solution *b) {
    size_t counts[2];
    const pdp_decision *decisions[2] = {pdp_solution_decisions(a, &counts[0]), pdp_solution_decisions(b, &counts[1])};
    if (f.type == F32 && f.uses_libm) {
        return; /* exp of a float is not the rounded exp of a double */
    }
    EXPECT(counts[0] == counts[1], "%zu decisions and %zu", counts[0], counts[1]);
    for (size_t x = 0; x < counts[0]; x++) {
        const pdp_decision *d[2] = {&decisions[0][x], &decisions[1][x]};
        EXPECT(d[0]->kind == d[1]->kind && d[0]->i == d[1]->i && d[0]->k == d[1]->k && d[0]->j == d[1]->j,
               "decision %zu: %d (%zu,%zu,%zu) and %d (%zu,%zu,%zu)", x, (int)d[0]->kind, d[0]->i, d[0]->k, d[0]->j,
               (int)d[1]->kind, d[1]->i, d[1]->k, d[1]->j);
    }
    for (int64_t row = 0; is_float() && row < (f.is_interval ? f.size : 1); row++) {
        double cells[2][MOST_ITEMS];
        assert_int_equal(pdp_solution_real_row(a, (size_t)row, cells[0], (size_t)f.size), PDP_OK);
        assert_int_equal(pdp_solution_real_row(b, (size_t)row, cells[1], (size_t)f.size), PDP_OK);
        for (int64_t column = 0; column < f.size; column++) {
            EXPECT(!(cells[0][column] < cells[1][column] || cells[0][column] > cells[1][column]),
                   "cell (%" PRId64 ",%" PRId64 ") is %a and %a", row, column, cells[0][column], cells[1][column]);
        }
    }
}

/* ---- The tests ---- */

static size_t engine_runs, engine_refusals;

/* NULL if a type was asked for, and is not proven to hold the numbers, or does not have the operations; or if plain
 * numbers are not proven to fit into 64 bits, which engines refuse. */
static pdp_solution *run(const pdp_problem *problem, const char *algorithm, const char *type, int threads) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = algorithm;
    options.type = type;
    options.threads = threads;
    pdp_plan *plan;
    pdp_solution *solution = NULL;
    const pdp_status status = pdp_plan_create(&plan, problem, &options);
    const bool is_plain = strstr(pdp_plan_error(plan), "of indices and parameters alone may not fit") != NULL;
    EXPECT(status == PDP_OK || (status == PDP_BAD_INPUT && strcmp(algorithm, "sequential") != 0 &&
                                (is_plain || (type && strncmp(pdp_plan_error(plan), "type", 4) == 0))),
           "%s", pdp_plan_error(plan));
    engine_runs += status == PDP_OK && strcmp(algorithm, "sequential") != 0;
    engine_refusals += is_plain;
    if (status == PDP_OK) {
        pdp_plan_run(plan, &solution);
    }
    pdp_plan_free(plan);
    return solution;
}

/* The engines cannot have everything: what they refuse. */
static bool is_for_engine(void) {
    return f.combine != OWN || (own_identity() && !(f.is_interval && owns[f.own].is_ordered));
}

/* One size. Returns whether it was solved in full, and not beyond what is exact. */
static bool check_size(const pdp_recurrence *recurrence, const pdp_recurrence *again, int64_t size, bool with_engine) {
    draw_data(size);
    int64_t row;
    int64_t column;
    const bool is_solved = solve_directly(&row, &column);
    if (is_too_large) {
        return false;
    }
    pdp_problem *problem = make_problem(recurrence);
    pdp_solution *solution = run(problem, "sequential", NULL, 1);
    check_run(solution, is_solved, row, column, "sequential");
    if (again) {
        pdp_problem *printed = make_problem(again);
        pdp_solution *other = run(printed, "sequential", NULL, 1);
        check_run(other, is_solved, row, column, "printed and read again");
        pdp_solution_free(other);
        pdp_problem_free(printed);
    }
    static const char *const types[] = {NULL, "i32", "i64", "f32", "f64"};
    const bool may_choose = f.type == WHOLE || f.type == I64;
    for (size_t t = 0; with_engine && t < (may_choose ? campaign(1, 5) : 1); t++) {
        pdp_solution *engine = run(problem, f.is_interval ? "tiles" : "blocks", types[t], (int)pick(1, 3));
        if (engine) {
            check_run(engine, is_solved, row, column, types[t] ? types[t] : "the engine");
        }
        if (engine && is_solved && (f.combine == MIN || f.combine == MAX)) {
            check_alike(solution, engine);
        }
        pdp_solution_free(engine);
    }
    pdp_solution_free(solution);
    pdp_problem_free(problem);
    return is_solved;
}

/* Read, printed, read again: the same text. Returns the second. */
static pdp_recurrence *read_again(const pdp_recurrence *recurrence) {
    char *printed = pdp_recurrence_print(recurrence);
    assert_non_null(printed);
    pdp_recurrence *again = parse(printed);
    char *twice = pdp_recurrence_print(again);
    assert_non_null(twice);
    EXPECT(strcmp(printed, twice) == 0, "printed as\n%s\nand then as\n%s", printed, twice);
    free(printed);
    free(twice);
    return again;
}

static void draw_one(uint64_t seed) {
    seed_at_hand = seed;
    draw_recurrence(seed);
    print_recurrence();
}

/* Hundreds of recurrences by the interpreter. */
static void test_interpreted(void **unused) {
    (void)unused;
    static const int64_t sizes[] = {2, 3, 7, 19};
    size_t solved = 0;
    size_t tried = 0;
    for (size_t round = 0; round < campaign(600, 20000); round++) {
        draw_one(test_seed() + round);
        pdp_recurrence *recurrence = parse(text);
        pdp_recurrence *again = read_again(recurrence);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            solved += check_size(recurrence, again, sizes[s], false);
            tried++;
        }
        pdp_recurrence_free(again);
        pdp_recurrence_free(recurrence);
    }
    CHECK(solved * 2 > tried, "only %zu of %zu", solved, tried);
}

static void check_compiled(uint64_t seed) {
    static const int64_t sizes[] = {1, 2, 3, 17, 64, 65, 131, 577};
    draw_one(seed);
    if (getenv("PIPEDP_GENERATED")) {
        print_message("%s", text);
    }
    pdp_recurrence *recurrence = parse(text);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (!f.is_interval || (sizes[s] > 1 && sizes[s] < MOST_POINTS)) {
            check_size(recurrence, NULL, sizes[s], is_for_engine());
        }
    }
    pdp_recurrence_free(recurrence);
}

/* Some of them also compiled, for a level that goes round, at sizes of several tiles. */
static void test_compiled(void **unused) {
    (void)unused;
    pdp_level best;
    pdp_error error = {0};
    assert_int_equal(pdp_level_find(&best, &error), PDP_OK);
    const char *alone = getenv("PIPEDP_GENERATED");
    const size_t count = alone ? 1 : campaign(24, 1000);
    for (size_t round = 0; round < count; round++) {
        const pdp_level level = (pdp_level)((size_t)best - round % ((size_t)best + 1));
        assert_int_equal(setenv("PIPEDP_LEVEL", pdp_level_name(level), 1), 0);
        check_compiled(alone ? strtoull(alone, NULL, 10) : test_seed() + 1000000 + round);
    }
    unsetenv("PIPEDP_LEVEL");
    print_message("%zu runs by engines, %zu refused for plain numbers\n", engine_runs, engine_refusals);
    CHECK(alone || engine_runs > engine_refusals, "%zu and %zu", engine_runs, engine_refusals);
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpreted),
        cmocka_unit_test(test_compiled),
    };
    return cmocka_run_group_tests_name("generated", tests, NULL, NULL);
}
