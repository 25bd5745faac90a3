/* The language: what is refused and with which words, what is understood, and how it is printed again. */
#include "support.h"

#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "problem/problem.h"
#include "recurrence/canonise.h"
#include "recurrence/interpret.h"
#include "recurrence/recurrence.h"

static pdp_recurrence *parse(const char *text) {
    pdp_recurrence *recurrence;
    if (pdp_recurrence_parse(&recurrence, text, strlen(text)) != PDP_OK) {
        fail_msg("%s\n%s", recurrence->error.text, text);
    }
    return recurrence;
}

static void assert_refused_bytes(const char *text, size_t length, const char *message) {
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_parse(&recurrence, text, length), PDP_BAD_INPUT);
    assert_int_equal(recurrence->error.status, PDP_BAD_INPUT);
    if (strcmp(recurrence->error.text, message) != 0) {
        fail_msg("of\n%s\nexpected\n%s\nbut was\n%s", text, message, recurrence->error.text);
    }
    assert_null(recurrence->nodes);
    assert_null(recurrence->text);
    pdp_recurrence_free(recurrence);
}

static void assert_refused(const char *text, const char *message) {
    assert_refused_bytes(text, strlen(text), message);
}

/* A file with this term, and what comes after it, is refused. Its line 5 is the term. */
#define INTERVAL_WITH(rest) "interval a\n  input p[n+1]\n  size n+1\n  leaf 0\n  term " rest "\n  combine min\n"
#define LINEAR_WITH(rest)                                                                                              \
    "linear a\n  input a[k] >= 1\n  size 9\n  missing skip\n  offset a[j]\n  term " rest "\n  combine min\n"
#define BOTH_WITH(size, rest)                                                                                          \
    "linear a\n  input b[" size "]\n  input a[k] >= 1\n  size 9\n  missing skip\n  offset a[j]\n  term " rest          \
    "\n  combine min\n"
#define FLOAT_WITH(rest) "interval a\n  type f64\n  input p[n]\n  size n\n  leaf 0\n  term " rest "\n  combine min\n"
#define COMBINE_WITH(rest) "interval a\n  input p[n]\n  size n\n  leaf 0\n  term l\n  combine " rest "\n"

typedef struct refusal {
    const char *text;
    const char *message;
} refusal;

static void assert_all_refused(const refusal *refusals, size_t count) {
    for (size_t r = 0; r < count; r++) {
        assert_refused(refusals[r].text, refusals[r].message);
    }
}

/* ---- Refusals, word for word ---- */

/* Words and signs that are none, or stand where they cannot. */
static void test_refused_words(void **unused) {
    (void)unused;
    static const refusal refusals[] = {
        {"", "line 1, column 1: expected 'linear' or 'interval', found the end of the file\n\n^"},
        {"\n# nothing\n", "line 1, column 1: expected 'linear' or 'interval', found the end of the file\n\n^"},
        {"table a\n", "line 1, column 1: expected 'linear' or 'interval', found 'table'\ntable a\n^"},
        {"interval", "line 1, column 9: expected a name for the recurrence, found the end of the file\n"
                     "interval\n        ^"},
        {"interval 5", "line 1, column 10: expected a name for the recurrence, found '5'\ninterval 5\n         ^"},
        {"interval a b", "line 1, column 12: expected the end of the line, found 'b'\ninterval a b\n           ^"},
        {INTERVAL_WITH("l $ r"), "line 5, column 10: '$' has no meaning here\n  term l $ r\n         ^"},
        {INTERVAL_WITH("l + \xc3\xa9"),
         "line 5, column 12: the byte 0xc3 has no meaning outside a comment; expected plain ASCII\n"
         "  term l + ?\?\n           ^"},
        {INTERVAL_WITH("12ab"), "line 5, column 8: '12ab' is not a number\n  term 12ab\n       ^"},
        {INTERVAL_WITH("1.2.3"), "line 5, column 8: '1.2.3' is not a number\n  term 1.2.3\n       ^"},
        {INTERVAL_WITH("0x"), "line 5, column 8: '0x' is not a number\n  term 0x\n       ^"},
        {INTERVAL_WITH("9223372036854775808"),
         "line 5, column 8: the number is too large; 9223372036854775807 is the largest\n"
         "  term 9223372036854775808\n       ^"},
        {INTERVAL_WITH("99999999999999999999"),
         "line 5, column 8: the number is too large; 9223372036854775807 is the largest\n"
         "  term 99999999999999999999\n       ^"},
        {FLOAT_WITH("1e999"), "line 6, column 8: the number is too large; 1.79e308 is the largest\n"
                              "  term 1e999\n       ^"},
        {"interval a\n input s[n] in \"AB\n", "line 2, column 19: expected '\"' or another printable letter of ASCII\n"
                                              " input s[n] in \"AB\n                  ^"},
        {"interval a\n input abcdefghijklmnopqrstuvwxyzabcdef[n]\n",
         "line 2, column 8: the name has 32 characters; 31 are the most\n"
         " input abcdefghijklmnopqrstuvwxyzabcdef[n]\n       ^"},
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
}

/* Expressions that do not end, end too early or are called wrongly. */
static void test_refused_expressions(void **unused) {
    (void)unused;
    static const refusal refusals[] = {
        {INTERVAL_WITH("l +"), "line 5, column 11: expected a number, a name or '(', found the end of the line\n"
                               "  term l +\n          ^"},
        {INTERVAL_WITH("l ++ r"),
         "line 5, column 11: expected a number, a name or '(', found '+'\n  term l ++ r\n          ^"},
        {INTERVAL_WITH("(l + r"), "line 6, column 3: expected ')', found 'combine'\n  combine min\n  ^"},
        {INTERVAL_WITH("l + r)"), "line 5, column 13: expected the end of the line, found ')'\n"
                                  "  term l + r)\n            ^"},
        {INTERVAL_WITH("l ? r"), "line 5, column 13: expected ':', found the end of the line\n"
                                 "  term l ? r\n            ^"},
        {INTERVAL_WITH("l r"), "line 5, column 10: expected the end of the line, found 'r'\n  term l r\n         ^"},
        {INTERVAL_WITH("l + \"A\""),
         "line 5, column 12: expected a number, a name or '(', found a text\n  term l + \"A\"\n           ^"},
        {INTERVAL_WITH("p[i,j]"), "line 5, column 8: 'p' takes one index, not 2\n  term p[i,j]\n       ^"},
        {INTERVAL_WITH("p[i"), "line 6, column 3: expected ']', found 'combine'\n  combine min\n  ^"},
        {INTERVAL_WITH("l[i]"), "line 5, column 8: 'l' is not an input; expected the name of one before '['\n"
                                "  term l[i]\n       ^"},
        {INTERVAL_WITH("min(l)"), "line 5, column 8: 'min' takes 2 arguments, not 1\n  term min(l)\n       ^"},
        {INTERVAL_WITH("abs(l, r)"), "line 5, column 8: 'abs' takes 1 argument, not 2\n  term abs(l, r)\n       ^"},
        {INTERVAL_WITH("sin(l)"),
         "line 5, column 8: 'sin' is not a function; expected a let or one of min, max, abs, sqrt, exp, log, pow, sum\n"
         "  term sin(l)\n       ^"},
        {INTERVAL_WITH("sum(l, i, j)"),
         "line 5, column 12: expected the name of an input, found 'l'\n  term sum(l, i, j)\n           ^"},
        {INTERVAL_WITH("gcd[q<n] q"), "line 5, column 8: a fold is by min, max, add, mul, and, or or xor, not 'gcd'\n"
                                      "  term gcd[q<n] q\n       ^"},
        {INTERVAL_WITH("or[q] q"), "line 5, column 12: expected '<', found ']'\n  term or[q] q\n           ^"},
        {INTERVAL_WITH("or[1<n] 2"), "line 5, column 11: expected a name for the fold's variable, found '1'\n"
                                     "  term or[1<n] 2\n          ^"},
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
}

/* Names that nobody knows, or that mean nothing where they stand. */
static void test_refused_names(void **unused) {
    (void)unused;
    static const refusal refusals[] = {
        {INTERVAL_WITH("l + q"), "line 5, column 12: unknown name 'q'; expected an input, a parameter or one of "
                                 "i, k, j, l, r\n  term l + q\n           ^"},
        {LINEAR_WITH("s + l"), "line 6, column 12: unknown name 'l'; expected an input, a parameter or one of i, j, s\n"
                               "  term s + l\n           ^"},
        {"interval a\n size n\n", "line 2, column 7: unknown name 'n'; expected a parameter or a size that an input "
                                  "binds\n size n\n      ^"},
        {COMBINE_WITH("(x, y) x + z"), "line 6, column 22: unknown name 'z'; expected one of x, y\n"
                                       "  combine (x, y) x + z\n                     ^"},
        {INTERVAL_WITH("best"), "line 5, column 8: 'best' has no meaning in term; it may be used in finish\n"
                                "  term best\n       ^"},
        {INTERVAL_WITH("l\n  finish best + k"), "line 6, column 17: 'k' has no meaning in finish; it may be used in "
                                                "term\n  finish best + k\n                ^"},
        {INTERVAL_WITH("l\n  option l"),
         "line 6, column 10: 'l' has no meaning in option; it may be used in term\n  option l\n         ^"},
        {INTERVAL_WITH("inside"), "line 5, column 8: 'inside' has no meaning in term; it may be used in option\n"
                                  "  term inside\n       ^"},
        {INTERVAL_WITH("l\n  empty j"), "line 6, column 9: 'j' has no meaning in empty; it may be used in term, option "
                                        "and finish\n  empty j\n        ^"},
        {LINEAR_WITH("s\n  source j"), "line 7, column 10: 'j' has no meaning in source; it may be used in offset and "
                                       "term\n  source j\n         ^"},
        {LINEAR_WITH("s\n  preset 1 : s"),
         "line 7, column 14: 's' has no meaning in preset; it may be used in term\n  preset 1 : s\n             ^"},
        {INTERVAL_WITH("l\n  let f(a) = a + best\n  empty f(1)"),
         "line 7, column 9: 'best', which 'f' uses, has no meaning in empty; it may be used in finish\n"
         "  empty f(1)\n        ^"},
        {INTERVAL_WITH("p"), "line 5, column 8: 'p' is an input; expected an index after it: p[...]\n"
                             "  term p\n       ^"},
        {"interval a\n  input p[n]\n  size p[0]\n",
         "line 3, column 8: the input 'p' has no meaning in size\n  size p[0]\n       ^"},
        {"interval a\n  param op operator\n  size op\n",
         "line 3, column 8: 'op' is an operator, not a number\n  size op\n       ^"},
        {INTERVAL_WITH("l\n  let f(a) = a\n  empty f(1,2)"),
         "line 7, column 9: 'f' takes 1 argument, not 2\n  empty f(1,2)\n        ^"},
        {INTERVAL_WITH("l\n  let f(a) = a\n  empty f"),
         "line 7, column 9: 'f' takes 1 argument; expected '(' after it\n  empty f\n        ^"},
        {INTERVAL_WITH("l\n  let f(a) = f(a)"), "line 6, column 14: 'f' is not a function; expected a let or one of "
                                                "min, max, abs, sqrt, exp, log, pow, sum\n"
                                                "  let f(a) = f(a)\n             ^"},
        {INTERVAL_WITH("or[i<n] 1"), "line 5, column 11: 'i' has a meaning of its own; expected another name\n"
                                     "  term or[i<n] 1\n          ^"},
        {COMBINE_WITH("(x, x) x"), "line 6, column 15: both operands are called 'x'\n"
                                   "  combine (x, x) x\n              ^"},
        {COMBINE_WITH("(x, y) x + n"), "line 6, column 22: 'n' has no meaning in combine\n"
                                       "  combine (x, y) x + n\n                     ^"},
        {COMBINE_WITH("(x, y) add[q<3] x"), "line 6, column 18: a fold has no meaning in combine\n"
                                            "  combine (x, y) add[q<3] x\n                 ^"},
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
}

/* Declarations and clauses that are wrong in themselves. */
static void test_refused_clauses(void **unused) {
    (void)unused;
    static const refusal refusals[] = {
        {INTERVAL_WITH("l\n  trem r"), "line 6, column 3: unknown clause 'trem'; expected one of type, param, input, "
                                       "let, size, empty, leaf, term, option, finish, combine, monotone, report\n"
                                       "  trem r\n  ^"},
        {INTERVAL_WITH("l\n  offset 3"),
         "line 6, column 3: 'offset' belongs to linear recurrences; this one is interval\n  offset 3\n  ^"},
        {LINEAR_WITH("s\n  leaf 3"),
         "line 7, column 3: 'leaf' belongs to interval recurrences; this one is linear\n  leaf 3\n  ^"},
        {LINEAR_WITH("s\n  monotone"),
         "line 7, column 3: 'monotone' belongs to interval recurrences; this one is linear\n  monotone\n  ^"},
        {INTERVAL_WITH("l\n  monotone 3"),
         "line 6, column 12: expected the end of the line, found '3'\n  monotone 3\n           ^"},
        {INTERVAL_WITH("l\n  monotone\n  monotone"),
         "line 7, column 3: a second 'monotone'; one is enough\n  monotone\n  ^"},
        {INTERVAL_WITH("l\n  size 3"), "line 6, column 3: a second 'size'; one is enough\n  size 3\n  ^"},
        {INTERVAL_WITH("l\n  input p[m]"), "line 6, column 9: 'p' is the name of an input already; expected another "
                                           "for the input\n  input p[m]\n        ^"},
        {INTERVAL_WITH("l\n  param n"), "line 6, column 9: 'n' is the name of a size already; expected another for "
                                        "the parameter\n  param n\n        ^"},
        {INTERVAL_WITH("l\n  let min = 3"), "line 6, column 7: 'min' has a meaning of its own; expected another name "
                                            "for the let\n  let min = 3\n      ^"},
        {"interval a\n input 3", "line 2, column 8: expected a name for the input, found '3'\n input 3\n       ^"},
        {"interval a\n input x[x]", "line 2, column 8: 'x' is the input and its size; expected two names\n"
                                    " input x[x]\n       ^"},
        {"interval a\n input y[2*n]", "line 2, column 10: 'n' cannot be told from this size; expected n, or it plus "
                                      "or minus a number\n input y[2*n]\n         ^"},
        {"interval a\n input y[n] optional", "line 2, column 8: 'y' is optional and cannot bind the size 'n'; expected "
                                             "one that is known\n input y[n] optional\n       ^"},
        {"interval a\n input y[n] in \"ABA\"",
         "line 2, column 19: 'A' is in the alphabet already\n input y[n] in \"ABA\"\n                  ^"},
        {"interval a\n input y[n] in \"\"",
         "line 2, column 16: expected letters between '\"', found a text\n input y[n] in \"\"\n               ^"},
        {"interval a\n input y[n] >= 1 >= 2",
         "line 2, column 18: a second '>='; one is enough\n input y[n] >= 1 >= 2\n                 ^"},
        {"interval a\n param y = x", "line 2, column 12: expected a number within int64, found 'x'\n"
                                     " param y = x\n           ^"},
        {"interval a\n type f16",
         "line 2, column 7: expected a type: i32, i64, f32, f64, bits or mod, found 'f16'\n type f16\n      ^"},
        {"interval a\n type mod", "line 2, column 10: expected the name of a parameter, found the end of the file\n"
                                  " type mod\n         ^"},
        {COMBINE_WITH("least"), "line 6, column 11: unknown operator 'least'; expected min, max, add, mul, and, or, "
                                "xor, gcd, logsumexp, an operator parameter or (x, y)\n"
                                "  combine least\n          ^"},
        {COMBINE_WITH("3"), "line 6, column 11: expected an operator's name or (x, y), found '3'\n"
                            "  combine 3\n          ^"},
        {INTERVAL_WITH("l\n  report items"),
         "line 6, column 10: expected parens, brackets or tree, found 'items'\n  report items\n         ^"},
        {LINEAR_WITH("s\n  report items b"), "line 7, column 16: expected the name of an input, found 'b'\n"
                                             "  report items b\n               ^"},
        {LINEAR_WITH("s\n  missing"), "line 7, column 3: a second 'missing'; one is enough\n  missing\n  ^"},
        {"linear a\n missing all", "line 2, column 10: expected skip, found 'all'\n missing all\n         ^"},
        {"linear a\n preset 1", "line 2, column 10: expected ':', found the end of the file\n preset 1\n         ^"},
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
}

/* Clauses that are missing, or do not go with each other. The place of what is not there is the header. */
static void test_refused_files(void **unused) {
    (void)unused;
    static const refusal refusals[] = {
        {"interval a", "line 1, column 10: 'a' has no size\ninterval a\n         ^"},
        {"interval a\n size 3\n term l\n combine min\n", "line 1, column 10: 'a' has no leaf\ninterval a\n         ^"},
        {"interval a\n size 3\n leaf 0\n combine min\n", "line 1, column 10: 'a' has no term\ninterval a\n         ^"},
        {"interval a\n size 3\n leaf 0\n term l\n", "line 1, column 10: 'a' has no combine\ninterval a\n         ^"},
        {"# b\nlinear a\n input a[k]\n size 3\n term s\n combine min\n",
         "line 2, column 8: 'a' has no offset\nlinear a\n       ^"},
        {"linear a\n input a[k]\n size 3\n offset a[j]\n term s\n combine min\n",
         "line 1, column 8: 'a' has neither preset nor 'missing skip', and the first cell has no terms\n"
         "linear a\n       ^"},
        {"linear a\n size 3\n offset j + 1\n term s\n combine min\n missing skip\n",
         "line 3, column 11: nothing says how far j runs; expected an input a[k] used as a[j] in offset or term\n"
         " offset j + 1\n          ^"},
        {INTERVAL_WITH("l\n  option inside + 1"),
         "line 6, column 10: 'inside' of two neighbours is M[i][i]; expected the clause 'empty' to say what that is\n"
         "  option inside + 1\n         ^"},
        {INTERVAL_WITH("l\n  report brackets"),
         "line 6, column 10: a pair of brackets is a cell that takes an option; expected an option\n"
         "  report brackets\n         ^"},
        {INTERVAL_WITH("l + y[i]\n  size 3"), "line 5, column 12: 'y' is not an input; expected the name of one before "
                                              "'['\n  term l + y[i]\n           ^"},
        {"interval a\n input x[n]\n input y[n] optional\n size n\n leaf 0\n term l + y[i]\n combine min\n",
         "line 6, column 11: 'y' is optional; it may be used in source and option\n term l + y[i]\n          ^"},
        {"linear a\n input a[k]\n input b[m]\n size 3\n missing skip\n offset a[j]\n term s\n combine min\n"
         " report items b\n",
         "line 9, column 15: the items are numbered by j; expected an input with k values\n"
         " report items b\n              ^"},
        {"interval a\n param y >= 3 <= 2\n size 3\n leaf 0\n term l\n combine min\n",
         "line 2, column 18: nothing is in the range of 'y': 2 is below 3\n param y >= 3 <= 2\n                 ^"},
        {"interval a\n param y >= 3 = 2\n size 3\n leaf 0\n term l\n combine min\n",
         "line 2, column 8: the default of 'y' is below 3, the end of its range\n param y >= 3 = 2\n       ^"},
        {"interval a\n type f64\n param y <= 3 = 3.5\n size 3\n leaf 0\n term l + y\n combine min\n",
         "line 3, column 8: the default of 'y' is above 3, the end of its range\n param y <= 3 = 3.5\n       ^"},
        {"linear a\n input a[k]\n size 3\n missing skip\n offset a[j]\n term s\n combine (x, y) x*y*1\n",
         "line 7, column 10: a cell may have no term; expected 'identity' and the value of such a cell\n"
         " combine (x, y) x*y*1\n         ^"},
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
}

/* Numbers of the wrong kind. */
static void test_refused_types(void **unused) {
    (void)unused;
    static const refusal refusals[] = {
        {INTERVAL_WITH("l + 1.5"), "line 5, column 12: a real number needs a float type; expected 'type f32' or 'type "
                                   "f64' above\n  term l + 1.5\n           ^"},
        {INTERVAL_WITH("sqrt(l)"),
         "line 5, column 8: sqrt needs a float type; expected 'type f32' or 'type f64' above\n"
         "  term sqrt(l)\n       ^"},
        {INTERVAL_WITH("p[l]"), "line 5, column 10: an index cannot depend on a cell of the table\n"
                                "  term p[l]\n         ^"},
        {INTERVAL_WITH("1 << r"), "line 5, column 13: the distance of a shift cannot depend on a cell of the table\n"
                                  "  term 1 << r\n            ^"},
        {INTERVAL_WITH("or[q<l] q"), "line 5, column 13: the end of a fold cannot depend on a cell of the table\n"
                                     "  term or[q<l] q\n            ^"},
        {FLOAT_WITH("p[i*0.5]"), "line 6, column 11: expected a whole number: an index cannot be real\n"
                                 "  term p[i*0.5]\n          ^"},
        {FLOAT_WITH("l & 3"), "line 6, column 10: '&' needs whole numbers, and floats are in it\n"
                              "  term l & 3\n         ^"},
        {FLOAT_WITH("r % 2.0"), "line 6, column 10: '%' needs whole numbers, and floats are in it\n"
                                "  term r % 2.0\n         ^"},
        {FLOAT_WITH("~l"), "line 6, column 8: '~' needs whole numbers, and floats are in it\n  term ~l\n       ^"},
        {"interval a\n type f64\n param z = 2.5\n size z\n leaf 0\n term l\n combine min\n",
         "line 3, column 8: expected a whole number: 'z' is one, and its default 2.5 is not\n"
         " param z = 2.5\n       ^"},
        {"interval a\n param z = 2.5\n size z\n leaf 0\n term l\n combine min\n",
         "line 2, column 8: expected a whole number: 'z' is one, and its default 2.5 is not\n"
         " param z = 2.5\n       ^"},
        {"interval a\n type f64\n size 3\n leaf 0\n term l\n combine xor\n",
         "line 6, column 10: 'xor' does not fit: it needs whole numbers; expected min, max, add, mul or logsumexp\n"
         " combine xor\n         ^"},
        {COMBINE_WITH("logsumexp"), "line 6, column 11: 'logsumexp' does not fit: it needs floats; expected type f32 "
                                    "or f64\n  combine logsumexp\n          ^"},
        {"interval a\n type mod P\n param P >= 2\n size 3\n leaf 0\n term l\n combine min\n",
         "line 7, column 10: 'min' does not fit: numbers modulo P have no order and no bits; expected add or mul\n"
         " combine min\n         ^"},
        {"interval a\n type mod P\n param P >= 2\n size 3\n leaf 0\n term l/2 + r\n combine add\n",
         "line 6, column 8: numbers modulo P have only + - * and ?:\n term l/2 + r\n       ^"},
        {"interval a\n type mod P\n param P >= 2\n size 3\n leaf 0\n term l < r ? l : r\n combine add\n",
         "line 6, column 9: numbers modulo P have only + - * and ?:\n term l < r ? l : r\n        ^"},
        {"interval a\n type mod P\n size 3\n leaf 0\n term l\n combine add\n",
         "line 2, column 11: unknown name 'P'; expected a parameter\n type mod P\n          ^"},
        {"interval a\n type bits\n size 3\n leaf 0\n term abs(l)\n combine or\n",
         "line 5, column 7: abs has no meaning in a file of sets, which have no sign\n term abs(l)\n      ^"},
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
}

/* An index that leaves its input in every problem is refused; where it might not, it is left to the run. */
static void test_refused_indices(void **unused) {
    (void)unused;
    static const refusal refusals[] = {
        {INTERVAL_WITH("p[n+1]"),
         "line 5, column 8: the index of 'p' goes up to n + 1; n is the last\n  term p[n+1]\n       ^"},
        {INTERVAL_WITH("p[j+1]"),
         "line 5, column 8: the index of 'p' goes up to n + 1; n is the last\n  term p[j+1]\n       ^"},
        {INTERVAL_WITH("p[i-1]"), "line 5, column 8: the index of 'p' goes down to -1\n  term p[i-1]\n       ^"},
        {INTERVAL_WITH("p[-3]"), "line 5, column 8: the index of 'p' goes down to -3\n  term p[-3]\n       ^"},
        {INTERVAL_WITH("p[2*j-k]"), "line 5, column 8: the index of 'p' goes up to 2*n - 1; n is the last\n"
                                    "  term p[2*j-k]\n       ^"},
        {INTERVAL_WITH("l + sum(p, i, j+2)"),
         "line 5, column 12: the index of 'p' goes up to n + 2; n + 1 is the last\n"
         "  term l + sum(p, i, j+2)\n           ^"},
        {INTERVAL_WITH("p[k-j]"), "line 5, column 8: the index of 'p' goes down to -n + 1\n  term p[k-j]\n       ^"},
        {LINEAR_WITH("s + a[j+1]"),
         "line 6, column 12: the index of 'a' goes up to k; k - 1 is the last\n  term s + a[j+1]\n           ^"},
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
}

static bool all_proven(const char *text) {
    pdp_recurrence *recurrence = parse(text);
    bool proven = true;
    for (uint32_t n = 0; n < recurrence->node_count; n++) {
        pdp_node_kind kind = recurrence->nodes[n].kind;
        proven &= (kind != PDP_NODE_LOOKUP && kind != PDP_NODE_SUM) || recurrence->nodes[n].index_proven;
    }
    pdp_recurrence_free(recurrence);
    return proven;
}

/* Proven: the extremes of linear indices, of folds' variables and of ranges, are inside. */
static void test_proven_indices(void **unused) {
    (void)unused;
    assert_true(all_proven(INTERVAL_WITH("p[i] + p[k] + p[j] + p[j-1] + p[i+2] + p[k+1] + p[j-i] + p[n-i]")));
    assert_true(all_proven(INTERVAL_WITH("sum(p, i, j+1) + sum(p, 0, n+1)")));
    assert_true(all_proven(INTERVAL_WITH("add[q<n+1] p[q] + add[q<j] p[q] + add[q<j] p[n-q]")));
    assert_true(all_proven(INTERVAL_WITH("l\n  input c[n,n+1]\n  finish best + c[i,j]")));
    assert_true(all_proven(BOTH_WITH("9", "s + b[i]")));
    assert_true(
        all_proven("linear a\n param n >= 4\n input a[k]\n input x[n] <= k-1 >= 0\n size n\n preset 3 : x[i+1]\n"
                   " offset a[j]\n term s + a[x[i]] + x[i-3]\n source x[i]\n combine min\n"));
    assert_true(
        all_proven("interval a\n input c[m]\n input s[n] in \"AB\"\n input t[2,2]\n size n+1\n leaf t[s[i],s[0]]\n"
                   " term l\n combine min\n") == false); /* s may be empty */
#define LETTERS_INTO(size)                                                                                             \
    "interval a\n param n >= 4\n input s[n] in \"ABC\"\n input t[" size "]\n size n\n leaf t[s[i]]\n term l\n "        \
    "combine min\n"
    assert_true(all_proven(LETTERS_INTO("3")));
    assert_false(all_proven(LETTERS_INTO("2")));
    assert_false(all_proven(INTERVAL_WITH("p[i > 0 ? i-1 : 0]")));
    assert_false(all_proven(INTERVAL_WITH("i > 0 ? p[i-1] : 0")));
    assert_false(all_proven(INTERVAL_WITH("i > 0 && p[i-1] == 3")));
    assert_false(all_proven(INTERVAL_WITH("add[q<5] p[q]")));
    assert_false(all_proven(INTERVAL_WITH("p[i*k/j]")));
    assert_false(all_proven(INTERVAL_WITH("l\n  empty 0\n  option inside + p[i-1] if i > 0")));
    assert_false(all_proven(BOTH_WITH("m", "s + b[i]")));
    assert_false(all_proven(BOTH_WITH("9", "s + b[i-5]"))); /* `missing skip` may leave such cells out */
}

/* A matrix chain is one whatever its names and the order of its factors, and none with anything else to it. */
static void test_chains(void **unused) {
    (void)unused;
#define CHAIN(leaf, more)                                                                                              \
    "interval a\n input q[m+1]\n size m+1\n leaf " leaf "\n term 1*q[j]*q[i]*q[k] + r - -l + 0*i\n " more "\n"
    static const struct {
        const char *text;
        bool is_chain;
    } cases[] = {
        {CHAIN("0", "combine min"), true},
        {CHAIN("1 - 1", "combine min\n finish best + 0"), true},
        {CHAIN("0*i", "combine min\n finish best\n type i64"), true},
        {CHAIN("m*0", "param t = 1\n combine min\n finish best - 0*t"), true},
        {CHAIN("0*q[i]", "combine min"), false}, /* which may be outside */
        {CHAIN("0", "combine max"), false},
        {CHAIN("1", "combine min"), false},
        {CHAIN("0", "combine min\n option 7"), false},
        {CHAIN("0", "param op operator\n combine op"), false},
        {CHAIN("0", "combine min\n finish best + 1"), false},
        {CHAIN("0", "combine min\n type f64"), false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pdp_recurrence *recurrence = parse(cases[c].text);
        const uint32_t input = pdp_recurrence_chain_input(recurrence);
        CHECK(input == (cases[c].is_chain ? 0 : PDP_NO_NODE), "%s: input %" PRIu32, cases[c].text, input);
        pdp_recurrence_free(recurrence);
    }
}

/* Sums and single numbers of two inputs, with both signs and cut anywhere, also those that end before they begin. */
static void draw_sums(char *text, size_t room, uint64_t *state) {
    static const char *const starts[] = {"i", "i+1", "k-1", "k", "1+k", "j-2", "j-1", "j", "j+1", "1", "3"};
    static const char head[] = "interval a\n input w[n+3]\n input v[n+3]\n size n\n leaf 0\n combine max\n term l + r";
    size_t used = (size_t)snprintf(text, room, "%s", head);
    for (int64_t parts = pdp_random_between(state, 1, 7); parts > 0; parts--) {
        const char sign = pdp_random_between(state, 0, 2) == 0 ? '-' : '+';
        const char input = pdp_random_between(state, 0, 3) == 0 ? 'v' : 'w';
        const char *first = starts[pdp_random_between(state, 0, 10)], *end = starts[pdp_random_between(state, 0, 10)];
        used += (size_t)(pdp_random_between(state, 0, 3) == 0
                             ? snprintf(text + used, room - used, " %c %c[%s]", sign, input, first)
                             : snprintf(text + used, room - used, " %c sum(%c, %s, %s)", sign, input, first, end));
    }
    snprintf(text + used, room - used, "\n");
}

/* Wherever sums are joined, the term is what it was. */
static void test_joined_sums(void **unused) {
    (void)unused;
    enum { N = 7 };
    char text[500];
    int64_t numbers[N + 3];
    uint64_t state = test_seed() + 5;
    size_t independent = 0;
    for (int round = 0; round < 3000; round++) {
        draw_sums(text, sizeof text, &state);
        pdp_recurrence *r = parse(text);
        pdp_problem *problem;
        assert_int_equal(pdp_problem_create(&problem, r), PDP_OK);
        for (const char *name = "w\0v\0"; *name; name += 2) {
            for (size_t x = 0; x < N + 3; x++) {
                numbers[x] = pdp_random_between(&state, -99, 99);
            }
            pdp_problem_set_whole(problem, name, numbers, N + 3, 0);
        }
        CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
        pdp_bindings b = pdp_problem_bindings(problem);
        b.cells[PDP_CELL_LEFT].whole = 1000;
        b.cells[PDP_CELL_RIGHT].whole = 5000;
        for (b.i = 0; b.i < N; b.i++) {
            for (b.k = b.i + 1; b.k < N; b.k++) {
                for (b.j = b.k + 1; b.j < N; b.j++) {
                    const pdp_wide term = pdp_interpret_element(&b, r->term).whole;
                    b.cells[PDP_CELL_BEST] = pdp_interpret_element(&b, r->inner);
                    const pdp_wide parts = r->after == PDP_NO_NODE ? b.cells[PDP_CELL_BEST].whole
                                                                   : pdp_interpret_element(&b, r->after).whole;
                    CHECK(term == parts && b.error.status == PDP_OK, "seed %" PRIu64 ", %s: i=%d k=%d j=%d",
                          test_seed(), text, (int)b.i, (int)b.k, (int)b.j);
                }
            }
        }
        independent += pdp_recurrence_is_weighed(r);
        pdp_problem_free(problem);
        pdp_recurrence_free(r);
    }
    CHECK(independent > 50 && independent < 2500, "%zu of 3000 without k", independent);
}

static size_t count_sums(const pdp_recurrence *r, uint32_t id) {
    size_t count = 0;
    if (id != PDP_NO_NODE) {
        count = r->nodes[id].kind == PDP_NODE_SUM;
        for (uint32_t c = 0; c < r->nodes[id].child_count; c++) {
            count += count_sums(r, r->nodes[id].child[c]);
        }
    }
    return count;
}

/* Places too far away are not reckoned with: here the first sum would seem to end where the second begins. */
static void test_far_sums(void **unused) {
    (void)unused;
    pdp_recurrence *r = parse("interval a\n input w[2200000000]\n input v[n]\n size n\n leaf 0\n combine min\n"
                              " term l + r + sum(w, 0, 1073741829 - (0-1073741824)) + sum(w, 5, 6)\n");
    assert_int_equal(count_sums(r, r->inner) + count_sums(r, r->after), 2);
    pdp_recurrence_free(r);
}

/* ---- What is understood ---- */

/* Line ends, indentation, comments, continued lines and capitals do not change what is said. */
static void test_layout(void **unused) {
    (void)unused;
    static const char plain[] = "interval a\n  input   s[n] in \"AC\"\n  size    n + 1\n  empty   0\n  leaf    0\n"
                                "  term    l + r\n  option  inside + 1\n      if  s[i] == 1 || s[j - 1] == 0\n"
                                "  combine max\n";
    static const char *const same[] = {
        "interval a\ninput s[n] in \"AC\"\nsize n+1\nempty 0\nleaf 0\nterm l+r\noption inside+1 if s[i]==1||s[j-1]==0\n"
        "combine max",
        "\xef\xbb\xbfinterval a # \xc3\xa9\r\n\tinput s[n] in \"AC\"\r\n\r\n\tsize n+1\r\n empty 0\r\nleaf 0\r\n"
        "term l\r\n# here\r\n + r\r\n option inside\r\n+ 1\r\nif s[i] == 1\r\n\r\n || s[j-1] == 0\r\n combine max\r\n",
        "interval a\n input s[n] in \"AC\"\n size (n\n+1)\n empty 0\n leaf 0\n term (l +\n r)\n let size = s[\ni]\n"
        " let pair(a,\nb) = size == a\n || s[b] == 0\n option inside + 1 if pair(1,\nj-1)\n combine max\n",
    };
    for (size_t t = 0; t < sizeof same / sizeof *same; t++) {
        pdp_recurrence *recurrence = parse(same[t]);
        char *printed = pdp_recurrence_print(recurrence);
        assert_string_equal(printed, plain);
        free(printed);
        pdp_recurrence_free(recurrence);
    }
}

static void assert_prints(const char *text, const char *expected) {
    pdp_recurrence *recurrence = parse(text);
    char *printed = pdp_recurrence_print(recurrence);
    assert_string_equal(printed, expected);
    pdp_recurrence *again = parse(printed);
    char *printed_again = pdp_recurrence_print(again);
    assert_string_equal(printed_again, printed);
    free(printed);
    free(printed_again);
    pdp_recurrence_free(recurrence);
    pdp_recurrence_free(again);
}

/* Brackets stand where the tree needs them and nowhere else; lets are put in their place. */
static void test_printed_expressions(void **unused) {
    (void)unused;
    static const struct {
        const char *written;
        const char *printed;
    } terms[] = {
        {"((l)+((r)))", "l + r"},
        {"l+(r+i)", "l + (r + i)"},
        {"(l-r)-i", "l - r - i"},
        {"l-(r-i)", "l - (r - i)"},
        {"(l*r)/i%k", "l*r/i%k"},
        {"l*(r/i)", "l*(r/i)"},
        {"(l+r)*i", "(l + r)*i"},
        {"-(-l)-(-5)", "--l - -5"},
        {"-(l+r)", "-(l + r)"},
        {"!(l==r)&&~i<3", "!(l == r) && ~i < 3"},
        {"(i<k)<j", "i < k < j"},
        {"i<(k<j)", "i < (k < j)"},
        {"(l&1)<<(i+1)|r^k", "(l & 1) << i + 1 | r ^ k"},
        {"(i==k)&j", "i == k & j"},
        {"i==(k&j)", "i == (k & j)"},
        {"i||j&&k", "i || j && k"},
        {"(i||j)&&k", "(i || j) && k"},
        {"i?j?1:2:k?3:4", "i ? j ? 1 : 2 : k ? 3 : 4"},
        {"(i?j:k)?1:2", "(i ? j : k) ? 1 : 2"},
        {"1+(i?j:k)", "1 + (i ? j : k)"},
        {"min(l,max(r,abs(i-j)))", "min(l, max(r, abs(i - j)))"},
        {"add[q<n](p[q]*q)", "add[q < n] (p[q]*q)"},
        {"add[a<n] p[a] + 1", "add[q < n] p[q] + 1"},
        {"(or[a<i+1](or[b<a](b&a)))", "or[q < i + 1] or[q1 < q] (q1 & q)"},
        {"or[a<2] a + or[b<3] (b + min[a<b] a)", "or[q < 2] q + or[q < 3] (q + min[q1 < q] q1)"},
        {"0x1F + 007", "31 + 7"},
        {"sum(p,i,j)", "sum(p, i, j)"},
    };
    for (size_t t = 0; t < sizeof terms / sizeof *terms; t++) {
        char text[256];
        char expected[256];
        snprintf(text, sizeof text, "interval a\ninput p[n+1]\nsize n+1\nleaf 0\nterm %s\ncombine min\n",
                 terms[t].written);
        snprintf(expected, sizeof expected,
                 "interval a\n  input   p[n + 1]\n  size    n + 1\n  leaf    0\n  term    %s\n  combine min\n",
                 terms[t].printed);
        assert_prints(text, expected);
    }
}

/* Everything else that a file can say. */
static void test_printed_clauses(void **unused) {
    (void)unused;
    assert_prints("linear a\n type mod P\n param b operator\n param P >= 2 <= 1+8 = 7\n input w[k,3] in \"a#\\ \"\n"
                  " input o[k] <= 5 >= P-P\n input x[P] optional\n let twice(v) = v + v\n let four = twice(2)\n"
                  " report items o\n finish best*four\n combine b\n term twice(s)\n source x[i]\n offset o[j]\n"
                  " missing skip\n preset P > 3 ? 1 : 2 : i\n size P\n",
                  "linear a\n  type    mod P\n  param   b operator\n  param   P >= 2 <= 1 + 8 = 7\n"
                  "  input   w[k, 3] in \"a#\\ \"\n  input   o[k] >= P - P <= 5\n  input   x[P] optional\n"
                  "  size    P\n  preset  (P > 3 ? 1 : 2) : i\n  missing skip\n  offset  o[j]\n  source  x[i]\n"
                  "  term    s + s\n  finish  best*(2 + 2)\n  combine b\n  report  items o\n");
    assert_prints("interval a\n type f32\n param w = -2.50\n param v = 1e30\n param u >= 0.1 = 3\n param t = -4\n"
                  " size t+9\n leaf w*v*u\n term l + 1e-7 + 0.1 + 100.0 + 2.5e100\n monotone\n report tree\n"
                  " combine (a, b) a + b + 0.5*a*b identity 0\n",
                  "interval a\n  type    f32\n  param   w = -2.5\n  param   v = 1e+30\n  param   u >= 0.1 = 3.0\n"
                  "  param   t = -4\n  size    t + 9\n  leaf    w*v*u\n  term    l + 1e-07 + 0.1 + 1e+02 + 2.5e+100\n"
                  "  combine (x, y) x + y + 0.5*x*y identity 0\n  monotone\n  report  tree\n");
    assert_prints("interval a\n input q[n]\n param q1\n param q1_\n size n\n leaf 0\n combine min\n"
                  " term add[a<n] (q[a] + add[b<a] (b*q1*q1_))\n",
                  "interval a\n  input   q[n]\n  param   q1\n  param   q1_\n  size    n\n  leaf    0\n"
                  "  term    add[q_ < n] (q[q_] + add[q1__ < q_] (q1__*q1*q1_))\n  combine min\n");
    assert_prints("interval a\n param t = -9223372036854775808\n size 3\n leaf t\n term l\n combine (x,y) x\n",
                  "interval a\n  param   t = -9223372036854775808\n  size    3\n  leaf    t\n  term    l\n"
                  "  combine (x, y) x\n");
}

/* A decimal comma in the user's language changes nothing. */
static void test_locale(void **unused) {
    (void)unused;
    const char *found = setlocale(LC_ALL, "de_DE.UTF-8");
    assert_prints(FLOAT_WITH("l + 2.5"), "interval a\n  type    f64\n  input   p[n]\n  size    n\n  leaf    0\n"
                                         "  term    l + 2.5\n  combine min\n");
    if (!found) {
        print_message("no German locale here\n");
    }
    setlocale(LC_ALL, "C");
}

/* Every built-in recurrence is understood, all its look-ups are proven, and its print is a fixed point. */
static void test_builtin(void **unused) {
    (void)unused;
    size_t count = 0;
    for (; pdp_builtin_name(count); count++) {
        pdp_recurrence *recurrence = parse(pdp_builtin_text(count));
        assert_string_equal(recurrence->name, pdp_builtin_name(count));
        char *printed = pdp_recurrence_print(recurrence);
        assert_prints(pdp_builtin_text(count), printed);
        assert_true(all_proven(printed));
        free(printed);
        pdp_recurrence_free(recurrence);
    }
    assert_true(count >= 18);
}

static pdp_recurrence *load(const char *name) {
    for (size_t b = 0; pdp_builtin_name(b); b++) {
        if (strcmp(pdp_builtin_name(b), name) == 0) {
            return parse(pdp_builtin_text(b));
        }
    }
    fail_msg("no built-in '%s'", name);
    return NULL;
}

/* Children come before their parents, and a node has one parent. */
static void assert_trees(const pdp_recurrence *recurrence) {
    for (uint32_t n = 0; n < recurrence->node_count; n++) {
        for (uint32_t c = 0; c < recurrence->nodes[n].child_count; c++) {
            assert_true(recurrence->nodes[n].child[c] < n);
        }
    }
}

static const pdp_node *child(const pdp_recurrence *recurrence, const pdp_node *node, uint32_t c) {
    assert_true(c < node->child_count);
    return &recurrence->nodes[node->child[c]];
}

static void test_tree_of_mcm(void **unused) {
    (void)unused;
    pdp_recurrence *recurrence = load("mcm");
    assert_trees(recurrence);
    assert_int_equal(recurrence->shape, PDP_INTERVAL);
    assert_int_equal(recurrence->element, PDP_ELEMENT_WHOLE);
    assert_int_equal(recurrence->combine, PDP_OP_MIN);
    assert_int_equal(recurrence->report, PDP_REPORT_PARENS);
    assert_false(recurrence->combine_ordered);
    assert_int_equal(recurrence->input_count, 1);
    assert_int_equal(recurrence->dim_count, 1);
    assert_string_equal(recurrence->dims[0].name, "n");
    assert_int_equal(recurrence->dims[0].shift, 1);
    assert_true(recurrence->inputs[0].is_element);
    assert_false(recurrence->inputs[0].is_real);
    assert_int_equal(recurrence->nodes[recurrence->inputs[0].range.lowest].number, 1);
    assert_true(recurrence->inputs[0].range.highest == PDP_NO_NODE);
    assert_true(recurrence->finish == PDP_NO_NODE);
    assert_true(recurrence->empty == PDP_NO_NODE);

    const pdp_node *term = &recurrence->nodes[recurrence->term]; /* (l + r) + (p[i]*p[k])*p[j] */
    assert_int_equal(term->op, PDP_OP_ADD);
    assert_int_equal(term->uses, PDP_USES_I | PDP_USES_K | PDP_USES_J);
    assert_true(term->has_cell && term->is_element && !term->is_real);
    const pdp_node *cells = child(recurrence, term, 0);
    assert_int_equal(child(recurrence, cells, 0)->which, PDP_CELL_LEFT);
    assert_int_equal(child(recurrence, cells, 0)->uses, PDP_USES_I | PDP_USES_K);
    assert_int_equal(child(recurrence, cells, 1)->uses, PDP_USES_K | PDP_USES_J);
    const pdp_node *product = child(recurrence, term, 1);
    assert_true(!product->has_cell && product->is_element);
    assert_int_equal(child(recurrence, product, 0)->uses, PDP_USES_I | PDP_USES_K);
    assert_int_equal(child(recurrence, product, 1)->uses, PDP_USES_J);
    assert_int_equal(product->place.line, 6);
    assert_int_equal(product->place.column, 28);
    const pdp_node *leaf = &recurrence->nodes[recurrence->leaf];
    assert_true(leaf->kind == PDP_NODE_WHOLE && leaf->number == 0 && !leaf->is_element && leaf->uses == 0);
    pdp_recurrence_free(recurrence);
}

static void test_tree_of_nussinov(void **unused) {
    (void)unused;
    pdp_recurrence *recurrence = load("nussinov");
    assert_trees(recurrence);
    assert_string_equal(recurrence->inputs[0].alphabet, "ACGU");
    assert_false(recurrence->inputs[0].is_element);
    assert_true(recurrence->params[0].has_default);
    assert_int_equal(recurrence->params[0].whole_default, 3);
    assert_int_equal(recurrence->option_count, 1);
    const pdp_node *value = &recurrence->nodes[recurrence->options[0].value];
    assert_true(value->has_cell && value->is_element);
    assert_int_equal(value->uses, PDP_USES_I | PDP_USES_J);
    const pdp_node *condition = &recurrence->nodes[recurrence->options[0].condition];
    assert_int_equal(condition->op, PDP_OP_LOGICAL_AND);
    assert_true(!condition->has_cell && !condition->is_element && !condition->is_real);
    assert_int_equal(condition->uses, PDP_USES_I | PDP_USES_J);
    pdp_recurrence_free(recurrence);
}

static void test_tree_of_cyk(void **unused) {
    (void)unused;
    pdp_recurrence *recurrence = load("cyk");
    assert_trees(recurrence);
    assert_int_equal(recurrence->element, PDP_ELEMENT_BITS);
    assert_int_equal(recurrence->combine, PDP_OP_OR);
    for (uint32_t n = 0; n < recurrence->input_count; n++) { /* letters, and distances of shifts */
        assert_false(recurrence->inputs[n].is_element || recurrence->inputs[n].is_real);
    }
    const pdp_node *term = &recurrence->nodes[recurrence->term];
    assert_int_equal(term->kind, PDP_NODE_FOLD);
    assert_int_equal(term->op, PDP_OP_OR);
    assert_int_equal(term->which, 0);
    assert_true(term->has_cell && term->is_element);
    const pdp_node *bound = child(recurrence, term, 0);
    assert_int_equal(bound->kind, PDP_NODE_DIM);
    assert_string_equal(recurrence->dims[bound->which].name, "m");
    const pdp_node *body = child(recurrence, term, 1);
    assert_int_equal(body->op, PDP_OP_SHIFT_LEFT);
    assert_false(child(recurrence, body, 1)->is_element); /* A[q] */
    assert_int_equal(child(recurrence, child(recurrence, body, 1), 0)->kind, PDP_NODE_VARIABLE);
    pdp_recurrence_free(recurrence);
}

/* In a file of floats what is used as an index, an offset, a size or with bits is whole, the rest is real. */
static void test_types_in_floats(void **unused) {
    (void)unused;
    pdp_recurrence *recurrence =
        parse("linear a\n type f64\n param low\n param high\n param cells\n input a[k] >= low <= 7\n"
              " input w[k] <= high\n input at[k]\n input bits[k]\n input count[k]\n input x[cells] optional\n"
              " size cells\n missing skip\n offset a[j]\n source x[i]\n combine add\n"
              " term s*w[j] + w[at[j] > 0 ? j : 0] + (bits[j] & 1) + 1/2 + count[j] + add[q<count[j]] (w[j] > 0)\n");
    static const bool is_real[] = {false, true, false, false, false, true}; /* a w at bits count x */
    for (uint32_t n = 0; n < 6; n++) {
        assert_int_equal(recurrence->inputs[n].is_real, n == 2 ? true : is_real[n]); /* `at` is only compared */
        assert_int_equal(recurrence->inputs[n].is_element, recurrence->inputs[n].is_real);
    }
    assert_false(recurrence->params[0].is_real); /* the range of whole numbers */
    assert_true(recurrence->params[1].is_real);
    assert_false(recurrence->params[2].is_real);
    assert_true(recurrence->nodes[recurrence->term].is_real);
    for (uint32_t n = 0; n < recurrence->node_count; n++) {
        const pdp_node *node = &recurrence->nodes[n];
        if (node->kind == PDP_NODE_BINARY && node->op == PDP_OP_GREATER) { /* a truth about floats is whole */
            assert_true(!node->is_real && node->is_element);
        }
        if (node->kind == PDP_NODE_BINARY && node->op == PDP_OP_DIVIDE) {
            assert_true(!node->is_real && !node->is_element);
        }
    }
    assert_int_equal(recurrence->offset_dim, 0);
    pdp_recurrence_free(recurrence);
}

/* ---- Own operators ---- */

/* Refused with a counter-example: not associative, or an identity that is none. */
static void test_own_operator_refused(void **unused) {
    (void)unused;
    static const refusal refusals[] = {
        {COMBINE_WITH("(x, y) x - y"), "line 6, column 20: not associative: of 1, 0, 1 the first two first give 0, the "
                                       "last two first 2\n  combine (x, y) x - y\n                   ^"},
        {COMBINE_WITH("(x, y) x + y identity 1"),
         "line 6, column 33: not the identity: 1 and 1 give 2\n"
         "  combine (x, y) x + y identity 1\n                                ^"},
        {COMBINE_WITH("(x, y) x identity 0"), "line 6, column 29: not the identity: 0 and 1 give 0\n"
                                              "  combine (x, y) x identity 0\n                            ^"},
        {COMBINE_WITH("(x, y) 1/0"), "line 6, column 19: it has no value for any of the numbers it was tried on\n"
                                     "  combine (x, y) 1/0\n                  ^"},
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
    pdp_recurrence *recurrence;
    static const char mean[] = "interval a\n type f64\n size 3\n leaf 0\n term l\n combine (x, y) (x + y)/2\n";
    assert_int_equal(pdp_recurrence_parse(&recurrence, mean, strlen(mean)), PDP_BAD_INPUT);
    assert_in(recurrence->error.text, "not associative: of ");
    pdp_recurrence_free(recurrence);
}

static bool is_ordered(const char *text) {
    pdp_recurrence *recurrence = parse(text);
    assert_int_equal(recurrence->combine, PDP_OP_OWN);
    bool ordered = recurrence->combine_ordered;
    pdp_recurrence_free(recurrence);
    return ordered;
}

#define FLOATS_BY(rest) "interval a\n type f32\n size 3\n leaf 0\n term l\n combine " rest "\n"
#define MODULO(rest) "interval a\n type mod P\n param P = 7\n size 3\n leaf 0\n term l\n combine " rest "\n"
#define SKIPPING(rest)                                                                                                 \
    "linear a\n input a[k] >= 1\n size 9\n preset 1 : 0\n missing skip\n offset a[j]\n term s + 1\n combine " rest "\n"
#define SETS_BY(rest) "interval a\n type bits\n size 3\n leaf 0\n term l\n combine " rest "\n"

/* Associative ones are taken; that an operator does not commute is noted. Floats have a tolerance, and what leaves the
 * exact numbers proves nothing. */
static void test_own_operator_taken(void **unused) {
    (void)unused;
    assert_false(is_ordered(COMBINE_WITH("(x, y) x < y ? x : y identity 1 << 62")));
    assert_false(is_ordered(COMBINE_WITH("(x, y) x + y + x*y identity 0")));
    assert_false(is_ordered(COMBINE_WITH("(a, b) a*b*1 identity 1")));
    assert_false(is_ordered(COMBINE_WITH("(x, y) x*y*0")));
    assert_false(is_ordered(FLOATS_BY("(x, y) x + y + 0.1*x*y identity 0")));
    assert_false(is_ordered(FLOATS_BY("(x, y) log(exp(x) + exp(y))")));
    assert_false(is_ordered(SETS_BY("(x, y) x & y & x identity ~0")));
    assert_true(is_ordered(COMBINE_WITH("(x, y) x")));
    assert_true(is_ordered(COMBINE_WITH("(x, y) y")));
    assert_true(is_ordered(FLOATS_BY("(x, y) y")));
    /* affine maps, factor above shift, applied one after the other */
    assert_true(is_ordered(SETS_BY("(x, y) (((x>>32)*(y>>32)) << 32) | ((x & 0xffffffff)*(y>>32) + (y & 0xffffffff))"
                                   " & 0xffffffff identity 1<<32")));
}

/* An own operator that has a name is the one of that name, unless a cell could hold another identity. */
static void test_own_operator_named(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        pdp_op op;
    } cases[] = {
        {COMBINE_WITH("(x, y) min(x, y)"), PDP_OP_MIN},
        {COMBINE_WITH("(x, y) max(y, x)"), PDP_OP_MAX},
        {COMBINE_WITH("(x, y) x < y ? x : y"), PDP_OP_MIN},
        {COMBINE_WITH("(x, y) x <= y ? y : x"), PDP_OP_MAX},
        {COMBINE_WITH("(x, y) y < x ? x : y"), PDP_OP_MAX},
        {COMBINE_WITH("(x, y) x > y ? x : y"), PDP_OP_MAX},
        {COMBINE_WITH("(x, y) x >= y ? y : x"), PDP_OP_MIN},
        {COMBINE_WITH("(x, y) y + x identity 0"), PDP_OP_ADD},
        {COMBINE_WITH("(x, y) x*y identity 3 - 2"), PDP_OP_MUL},
        {COMBINE_WITH("(x, y) x | y"), PDP_OP_OR},
        {COMBINE_WITH("(x, y) x ^ y identity 0"), PDP_OP_XOR},
        {COMBINE_WITH("(x, y) x & y identity -1"), PDP_OP_AND},
        {SETS_BY("(x, y) x & y identity ~0"), PDP_OP_AND},
        {SETS_BY("(x, y) max(x, y) identity 0"), PDP_OP_MAX},
        {FLOATS_BY("(x, y) x + y"), PDP_OP_ADD},
        {MODULO("(x, y) x + y identity 0"), PDP_OP_ADD},
        {MODULO("(x, y) y*x identity 1"), PDP_OP_MUL},
        {SKIPPING("(x, y) min(x, y)"), PDP_OP_MIN},
        {COMBINE_WITH("(x, y) x + y identity 0/0"), PDP_OP_OWN},
        {FLOATS_BY("(x, y) x + y identity 0.0/0.0"), PDP_OP_OWN},
        {FLOATS_BY("(x, y) x + y identity 0.0"), PDP_OP_ADD},
        {FLOATS_BY("(x, y) x + y identity -0.0"), PDP_OP_OWN},
        {COMBINE_WITH("(x, y) min(x, y) identity 1 << 62"), PDP_OP_OWN},
        {COMBINE_WITH("(x, y) min(x, y) identity 9223372036854775807"), PDP_OP_MIN},
        {COMBINE_WITH("(x, y) x > y ? x : y identity -9223372036854775807 - 1"), PDP_OP_MAX},
        {COMBINE_WITH("(x, y) x < y ? x : x"), PDP_OP_OWN},
        {COMBINE_WITH("(x, y) x == y ? x : x"), PDP_OP_OWN},
        {COMBINE_WITH("(x, y) min(x, x)"), PDP_OP_OWN},
        {COMBINE_WITH("(x, y) x"), PDP_OP_OWN},
        {COMBINE_WITH("(x, y) x + y + x*y"), PDP_OP_OWN},
        {FLOATS_BY("(x, y) min(x, y) identity 1e30"), PDP_OP_OWN},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pdp_recurrence *recurrence = parse(cases[c].text);
        CHECK(recurrence->combine == cases[c].op, "%s: %s", cases[c].text, pdp_op_name(recurrence->combine));
        pdp_recurrence_free(recurrence);
    }
}

static void test_operator_names(void **unused) {
    (void)unused;
    pdp_op op;
    assert_true(pdp_op_find(&op, "logsumexp"));
    assert_int_equal(op, PDP_OP_LOGSUMEXP);
    assert_string_equal(pdp_op_name(op), "logsumexp");
    assert_false(pdp_op_find(&op, "own"));
    pdp_recurrence *recurrence = load("sdp");
    assert_true(recurrence->params[recurrence->combine_param].is_operator);
    assert_null(pdp_recurrence_refuse_combine(recurrence, PDP_OP_GCD));
    assert_non_null(pdp_recurrence_refuse_combine(recurrence, PDP_OP_LOGSUMEXP));
    pdp_recurrence_free(recurrence);
}

/* ---- Caps ---- */

/* `count` times `repeated` between two texts. The caller frees it. */
static char *repeat(const char *before, const char *repeated, size_t count, const char *after) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs(before, out);
    for (size_t c = 0; c < count; c++) {
        fputs(repeated, out);
    }
    fputs(after, out);
    fclose(out);
    return text;
}

static const char head[] = "interval a\n size 3\n leaf 0\n combine min\n term ";

/* One more is refused, with this in the message. */
static void assert_cap(const char *before, const char *repeated, size_t most, const char *after, const char *message) {
    char *text = repeat(before, repeated, most, after);
    pdp_recurrence_free(parse(text));
    free(text);
    text = repeat(before, repeated, most + 1, after);
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_parse(&recurrence, text, strlen(text)), PDP_BAD_INPUT);
    assert_in(recurrence->error.text, message);
    pdp_recurrence_free(recurrence);
    free(text);
}

static void test_caps(void **unused) {
    (void)unused;
    assert_cap(head, "l + ", 63, "l\n", "too deep: operations are nested more than 64 times");
    assert_cap(head, "-", 63, "l\n", "too deep");
    for (size_t depth = 63; depth <= 64; depth++) { /* the expression itself is one more */
        char *text = repeat(head, "(", depth, "l");
        char *whole = repeat(text, ")", depth, "\n");
        pdp_recurrence *recurrence;
        assert_int_equal(pdp_recurrence_parse(&recurrence, whole, strlen(whole)), depth == 63 ? PDP_OK : PDP_BAD_INPUT);
        pdp_recurrence_free(recurrence);
        free(whole);
        free(text);
    }
    assert_cap(head, "or[q<2] ", 8, "l\n", "too deep: folds are nested more than 8 times");
    assert_cap(head, "1 ? l : ", 63, "l\n", "too deep");
    assert_cap("interval a\n size 3\n leaf 0\n combine min\n term l\n empty 0\n", " option inside\n", 8, "",
               "too many options; 8 are the most");
}

/* A let doubles, its let doubles it again: the size that counts is the one with all of them put in. */
static void test_let_explosion(void **unused) {
    (void)unused;
    char text[4096] = "interval a\n size 3\n leaf 0\n combine min\n let a0(v) = v + 1\n";
    size_t used = strlen(text);
    for (int a = 1; a < 40; a++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, " let a%d(v) = max(a%d(v), a%d(v))\n", a, a - 1, a - 1);
    }
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_parse(&recurrence, text, strlen(text)), PDP_BAD_INPUT);
    assert_in(recurrence->error.text,
              "too large: with every let put in place the file has more than 4096 operations\n");
    pdp_recurrence_free(recurrence);
}

static void test_counts(void **unused) {
    (void)unused;
    char text[8192] = "interval a\n size 3\n leaf 0\n combine min\n term l\n";
    size_t start = strlen(text);
    static const struct {
        const char *line;
        int most;
        const char *message;
    } caps[] = {{" param p%d\n", 16, "too many parameters; 16 are the most"},
                {" input p%d[3]\n", 16, "too many inputs; 16 are the most"},
                {" let p%d = 3\n", 64, "too many lets; 64 are the most"}};
    for (size_t c = 0; c < sizeof caps / sizeof *caps; c++) {
        text[start] = '\0';
        for (int n = 0; n <= caps[c].most; n++) {
            pdp_recurrence_free(parse(text));
            sprintf(text + strlen(text), caps[c].line, n);
        }
        pdp_recurrence *recurrence;
        assert_int_equal(pdp_recurrence_parse(&recurrence, text, strlen(text)), PDP_BAD_INPUT);
        assert_in(recurrence->error.text, caps[c].message);
        pdp_recurrence_free(recurrence);
    }
}

/* 65,536 bytes are read, one more is not. */
static void test_long_text(void **unused) {
    (void)unused;
    static const char file[] = "interval a\n size 3\n leaf 0\n combine min\n term l\n";
    size_t length = PDP_MAX_TEXT;
    char *text = malloc(length + 1);
    memset(text, '#', length + 1);
    memcpy(text, file, sizeof file - 1);
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_parse(&recurrence, text, length), PDP_OK);
    pdp_recurrence_free(recurrence);
    assert_refused_bytes(text, length + 1, "the text has 65537 bytes; 65536 are the most");
    memset(text, ' ', length);
    memset(text + length - 3, 'a', 3); /* a place far to the right */
    assert_int_equal(pdp_recurrence_parse(&recurrence, text, length), PDP_BAD_INPUT);
    assert_in(recurrence->error.text, "line 1, column 65534: expected 'linear' or 'interval', found 'aaa'\n");
    assert_in(recurrence->error.text, "aaa\n                                                ^");
    pdp_recurrence_free(recurrence);
    memset(text, '(', length);
    memcpy(text, file, sizeof file - 1);
    assert_int_equal(pdp_recurrence_parse(&recurrence, text, length), PDP_BAD_INPUT);
    pdp_recurrence_free(recurrence);
    free(text);
}

/* Bytes that are no text end in an error, not in silence: a 0 in the middle, or in a comment, hides nothing. */
static void test_odd_bytes(void **unused) {
    (void)unused;
    static const char middle[] = "interval a\n size 3\0 leaf";
    assert_refused_bytes(middle, sizeof middle - 1,
                         "line 2, column 8: the byte 0x00 has no meaning outside a comment; expected plain ASCII\n"
                         " size 3\n       ^");
    static const char comment[] = "interval a # \0\n size 3";
    assert_refused_bytes(comment, sizeof comment - 1,
                         "line 1, column 14: the byte 0x00 has no meaning outside a comment; expected plain ASCII\n"
                         "interval a # \n             ^");
    assert_refused("interval a\n\tsize\t3 \x01\n", "line 2, column 9: the byte 0x01 has no meaning outside a comment; "
                                                   "expected plain ASCII\n size 3 ?\n        ^");
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_parse(&recurrence, NULL, 0), PDP_BAD_INPUT);
    assert_null(pdp_recurrence_print(recurrence));
    pdp_recurrence_free(recurrence);
    pdp_recurrence_free(NULL);
    assert_null(pdp_recurrence_print(NULL));
}

/* Any piece of a good file is a file or an error, and so is one with a byte changed; what is taken prints as itself. */
static void test_broken_files(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    for (size_t b = 0; pdp_builtin_name(b); b++) {
        const char *good = pdp_builtin_text(b);
        size_t length = strlen(good);
        for (size_t t = 0; t < campaign(300, 20000); t++) {
            char *text = strdup(good);
            size_t end = (size_t)pdp_random_between(&random, 0, (int64_t)length);
            if (t % 2 == 0 && length > 0) {
                text[pdp_random_between(&random, 0, (int64_t)length - 1)] = (char)pdp_random_between(&random, 0, 127);
                end = length;
            }
            pdp_recurrence *recurrence;
            pdp_status status = pdp_recurrence_parse(&recurrence, text, end);
            assert_true(status == PDP_OK || (status == PDP_BAD_INPUT && strlen(recurrence->error.text) > 0));
            if (status == PDP_OK) {
                char *printed = pdp_recurrence_print(recurrence);
                assert_prints(printed, printed);
                free(printed);
            }
            pdp_recurrence_free(recurrence);
            free(text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_words),
        cmocka_unit_test(test_refused_expressions),
        cmocka_unit_test(test_refused_names),
        cmocka_unit_test(test_refused_clauses),
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_refused_types),
        cmocka_unit_test(test_refused_indices),
        cmocka_unit_test(test_proven_indices),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_joined_sums),
        cmocka_unit_test(test_far_sums),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_printed_expressions),
        cmocka_unit_test(test_printed_clauses),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_tree_of_mcm),
        cmocka_unit_test(test_tree_of_nussinov),
        cmocka_unit_test(test_tree_of_cyk),
        cmocka_unit_test(test_types_in_floats),
        cmocka_unit_test(test_own_operator_refused),
        cmocka_unit_test(test_own_operator_taken),
        cmocka_unit_test(test_own_operator_named),
        cmocka_unit_test(test_operator_names),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_let_explosion),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_odd_bytes),
        cmocka_unit_test(test_broken_files),
    };
    return cmocka_run_group_tests_name("language", tests, NULL, NULL);
}
