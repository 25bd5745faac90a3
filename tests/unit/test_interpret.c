/* The value of expressions: hand-made ones in every arithmetic, and what is proven of indices against all of them. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "recurrence/interpret.h"

/* A small problem around one expression: 5 numbers in p, 2 x 3 in c, n = 5, the cell (i,j) = (1,4), k = 2. */
typedef struct fixture {
    pdp_recurrence *recurrence;
    pdp_bound_input inputs[3];
    int64_t dims[PDP_MAX_DIMS];
    int64_t params[2];
    double real_params[2];
    pdp_bindings bindings;
} fixture;

static const int64_t list[] = {3, -7, 0, 4, 5};
static const double real_list[] = {0.1, -2.5, 0, 1e10, 5};
static const int64_t square[] = {1, 2, 3, 4, 5, 6};
static const pdp_wide list_sums[] = {0, 3, -4, -4, 0, 5};
static const double real_list_sums[] = {0, 0.1, 0.1 - 2.5, 0.1 - 2.5, 0.1 - 2.5 + 1e10, 0.1 - 2.5 + 1e10 + 5};

static void set_up(fixture *f, const char *type, const char *expression) {
    char text[512];
    snprintf(text, sizeof text,
             "interval a\n %s%s\n param a = 2\n param P = 7\n input p[n]\n input c[two,three]\n input w[n]\n size n+1\n"
             " leaf c[0,0] + w[0]\n combine %s\n term %s\n",
             *type ? "type " : "", type, strcmp(type, "mod P") == 0 ? "add" : "max", expression);
    if (pdp_recurrence_parse(&f->recurrence, text, strlen(text)) != PDP_OK) {
        fail_msg("%s", f->recurrence->error.text);
    }
    memcpy(f->dims, (int64_t[]){5, 2, 3}, 3 * sizeof(int64_t));
    f->params[0] = 2;
    f->params[1] = 7;
    f->real_params[0] = 2.5;
    f->inputs[0] = (pdp_bound_input){list, real_list, list_sums, real_list_sums, {5, 1}};
    f->inputs[1] = (pdp_bound_input){square, (const double[]){1, 2, 3, 4, 5, 6}, NULL, NULL, {2, 3}};
    f->inputs[2] = f->inputs[0];
    f->bindings = (pdp_bindings){.recurrence = f->recurrence,
                                 .element = f->recurrence->element,
                                 .modulus = 7,
                                 .dims = f->dims,
                                 .params = f->params,
                                 .real_params = f->real_params,
                                 .inputs = f->inputs,
                                 .i = 1,
                                 .k = 2,
                                 .j = 4};
}

static pdp_value evaluate(fixture *f, pdp_value left, pdp_value right) {
    f->bindings.cells[PDP_CELL_LEFT] = left;
    f->bindings.cells[PDP_CELL_RIGHT] = right;
    return pdp_interpret_element(&f->bindings, f->recurrence->term);
}

/* l = 10, r = -3 */
static void assert_whole(const char *type, const char *expression, pdp_wide expected) {
    fixture f;
    set_up(&f, type, expression);
    bool is_unsigned = strcmp(type, "bits") == 0;
    pdp_value right = {.whole = is_unsigned ? (pdp_wide)(UINT64_MAX - 2) : strcmp(type, "mod P") == 0 ? 4 : -3};
    pdp_value found = evaluate(&f, (pdp_value){.whole = strcmp(type, "mod P") == 0 ? 3 : 10}, right);
    if (found.whole != expected || f.bindings.error.status != PDP_OK) {
        fail_msg("%s: %s: expected %" PRId64 ", found %" PRId64 " (times 2^64: %" PRId64 ") %s", type, expression,
                 (int64_t)expected, (int64_t)found.whole, (int64_t)(found.whole >> 64), f.bindings.error.text);
    }
    pdp_recurrence_free(f.recurrence);
}

/* l = 10, r = -3 */
static void assert_real(const char *type, const char *expression, double expected) {
    fixture f;
    set_up(&f, type, expression);
    pdp_value found = evaluate(&f, (pdp_value){.real = 10}, (pdp_value){.real = -3});
    bool is_equal = found.real >= expected && found.real <= expected && !signbit(found.real) == !signbit(expected);
    if (!is_equal || f.bindings.error.status != PDP_OK) {
        fail_msg("%s: %s: expected %a, found %a %s", type, expression, expected, found.real, f.bindings.error.text);
    }
    pdp_recurrence_free(f.recurrence);
}

static void assert_fails(const char *type, const char *expression, const char *message) {
    fixture f;
    set_up(&f, type, expression);
    pdp_value cell = {.whole = 0};
    if (type[0] == 'f') {
        cell.real = 0;
    }
    evaluate(&f, cell, cell);
    assert_int_equal(f.bindings.error.status, strstr(message, "not a number") ? PDP_OVERFLOW : PDP_BAD_INPUT);
    assert_string_equal(f.bindings.error.text, message);
    pdp_recurrence_free(f.recurrence);
}

/* Names, look-ups and C's operators on exact whole numbers. */
static void test_whole(void **unused) {
    (void)unused;
    static const struct {
        const char *expression;
        int64_t expected;
    } examples[] = {
        {"42", 42},
        {"0x10", 16},
        {"l", 10},
        {"r", -3},
        {"i*100 + k*10 + j", 124},
        {"n*a", 10},
        {"p[k-1] + p[0]", -4},
        {"c[1,2]", 6},
        {"c[i,k-1]", 5},
        {"sum(p, 0, n)", 5},
        {"sum(p, i, j)", -3},
        {"sum(p, j, i) + sum(p, 5, 5)", 0},
        {"l - r - 1", 12},
        {"l/3*10 + l%3", 31},
        {"r/2*10 + r%2", -11},
        {"(0-7)/2*10 + (0-7)%2", -31},
        {"-l + -r", -7},
        {"l & 6 | 1", 3},
        {"l ^ r", -9},
        {"~l", -11},
        {"r >> 1", -2},
        {"r << 3", -24},
        {"l << 64", 0},
        {"l << -1", 0},
        {"r >> 64", 0},
        {"r >> 63", -1},
        {"(l > r) + (l >= 10) + (r < l) + (r <= -3) + (l == 10) + (l != r)", 6},
        {"(l < r) + (l <= 9) + (r > l) + (r >= -2) + (l == r) + (l != 10)", 0},
        {"!l + !0*10", 10},
        {"l && r || 0", 1},
        {"l > 5 ? 7 : 8", 7},
        {"l > 50 ? 7 : r", -3},
        {"min(l, r) + 10*max(l, r)", 97},
        {"abs(r) + abs(l)", 13},
        {"add[q<n] p[q]", 5},
        {"add[q<3] (q*10)", 30},
        {"add[q<0] 1", 0},
        {"add[q<0-5] 1", 0},
        {"mul[q<3] (q+1)", 6},
        {"mul[q<0] 1", 1},
        {"and[q<0] l", -1},
        {"and[q<2] (l-q)", 10 & 9},
        {"or[q<3] (1<<q)", 7},
        {"xor[q<3] (l+q)", 13},
        {"min[q<n] p[q]", -7},
        {"max[q<n] p[q]", 5},
        {"add[q<3] add[v<q+1] (10*q + v)", 84},
        {"min[q<0] i", INT64_MAX},
        {"9223372036854775807 - 1", INT64_MAX - 1},
    };
    for (size_t e = 0; e < sizeof examples / sizeof *examples; e++) {
        assert_whole("", examples[e].expression, examples[e].expected);
        assert_whole("i32", examples[e].expression, examples[e].expected);
        assert_whole("i64", examples[e].expression, examples[e].expected);
    }
}

/* What leaves int64 is exact; what leaves 126 bits stays beyond and loses every comparison it should. */
static void test_large(void **unused) {
    (void)unused;
    const pdp_wide largest = INT64_MAX;
    assert_whole("", "l*9223372036854775807", 10 * largest);
    assert_whole("", "l*9223372036854775807/9223372036854775807", 10);
    assert_whole("", "(0 - 9223372036854775807 - 1 + 0*l)/-1", largest + 1);
    assert_whole("", "l << 63", (pdp_wide)10 << 63);
    assert_whole("", "mul[q<3] (l*9223372036854775807)", PDP_WHOLE_BEYOND);
    assert_whole("", "mul[q<3] (l*9223372036854775807) - l*9223372036854775807", PDP_WHOLE_BEYOND);
    assert_whole("", "(mul[q<3] (l*9223372036854775807) - l) >> 9", PDP_WHOLE_BEYOND);
    assert_whole("", "(mul[q<3] (l*9223372036854775807)) - mul[q<2] (l*9223372036854775807)", PDP_WHOLE_UNKNOWN);
    assert_whole("", "l - ((mul[q<3] (l*9223372036854775807)) - mul[q<2] (l*9223372036854775807))", PDP_WHOLE_UNKNOWN);
    assert_whole("", "~((mul[q<3] (l*9223372036854775807)) - mul[q<3] (l*9223372036854775807))", PDP_WHOLE_UNKNOWN);
    assert_whole("", "l/((mul[q<3] (l*9223372036854775807)) - mul[q<3] (l*9223372036854775807))", PDP_WHOLE_UNKNOWN);
    assert_whole("", "l%((mul[q<3] (l*9223372036854775807)) - mul[q<3] (l*9223372036854775807))", PDP_WHOLE_UNKNOWN);
    assert_whole("", "l/mul[q<3] (l*9223372036854775807)", 0);
    assert_whole("", "max(l, (mul[q<3] (l*9223372036854775807)) - mul[q<3] (l*9223372036854775807))",
                 PDP_WHOLE_UNKNOWN);
    assert_whole("",
                 "9223372036854775807*(9223372036854775807 + 0*l) - 9223372036854775807*(9223372036854775806 + 0*l)",
                 largest);
    assert_whole("", "(mul[q<3] (l*9223372036854775807))*r", -PDP_WHOLE_BEYOND);
    assert_whole("", "(mul[q<3] (l*9223372036854775807))*0", 0);
    assert_whole("", "(mul[q<3] (l*9223372036854775807))/-5", -PDP_WHOLE_BEYOND);
    assert_whole("", "(min[q<0] l)*l", PDP_WHOLE_INFINITY);
    assert_whole("", "(min[q<0] l)/-5", -PDP_WHOLE_INFINITY);
    assert_whole("", "min(l, mul[q<3] (l*9223372036854775807))", 10);
    assert_whole("", "min[q<0] l", PDP_WHOLE_INFINITY);
    assert_whole("", "(max[q<0] l) + 5", -PDP_WHOLE_INFINITY);
}

/* Sets are modulo 2^64 and unsigned; r is 2^64 - 3. */
static void test_sets(void **unused) {
    (void)unused;
    assert_whole("bits", "r + 5", 2);
    assert_whole("bits", "l - 11", (pdp_wide)UINT64_MAX);
    assert_whole("bits", "-l", (pdp_wide)(UINT64_MAX - 9));
    assert_whole("bits", "r*r", 9);
    assert_whole("bits", "~l", (pdp_wide)(UINT64_MAX - 10));
    assert_whole("bits", "~0", (pdp_wide)UINT64_MAX);
    assert_whole("bits", "r >> 62", 3);
    assert_whole("bits", "r << 62", (pdp_wide)1 << 62);
    assert_whole("bits", "l << 64", 0);
    assert_whole("bits", "1 << 63", (pdp_wide)1 << 63);
    assert_whole("bits", "(i == 1) << 63 | l", ((pdp_wide)1 << 63) + 10);
    assert_whole("bits", "r / 2", (pdp_wide)((UINT64_MAX - 2) / 2));
    assert_whole("bits", "r % 10", (pdp_wide)((UINT64_MAX - 2) % 10));
    assert_whole("bits", "r > l", 1);
    assert_whole("bits", "r > 0-1", 0); /* -1 is the set of all */
    assert_whole("bits", "min(l, r) + (max(l, r) == r)", 11);
    assert_whole("bits", "or[q<64] (1 << q)", (pdp_wide)UINT64_MAX);
    assert_whole("bits", "and[q<0] l", (pdp_wide)UINT64_MAX);
    assert_whole("bits", "p[1] + l", 3);
    assert_whole("bits", "(1 ? l : 0) - 11", (pdp_wide)UINT64_MAX);
}

/* Residues modulo 7; l = 3, r = 4. Plain numbers are reduced when they meet one. */
static void test_residues(void **unused) {
    (void)unused;
    assert_whole("mod P", "l + r", 0);
    assert_whole("mod P", "l - r", 6);
    assert_whole("mod P", "-l", 4);
    assert_whole("mod P", "l*r", 5);
    assert_whole("mod P", "l + 100", 5);
    assert_whole("mod P", "l*(0-1)", 4);
    assert_whole("mod P", "p[1] + 1", 1);
    assert_whole("mod P", "add[q<5] (l*q)", 2);
    assert_whole("mod P", "mul[q<0] l", 1);
    assert_whole("mod P", "i/2 + (i < j ? l : r)", 3);
    assert_whole("mod P", "100", 2);
    assert_whole("mod P", "sum(p, 0, 2)", 3);
}

/* Floats; whole parts stay whole until they meet one. */
static void test_floats(void **unused) {
    (void)unused;
    assert_real("f64", "l/4", 2.5);
    assert_real("f64", "l + 1/2", 10);
    assert_real("f64", "l + 1.0/2", 10.5);
    assert_real("f64", "p[0]*l", 0.1 * 10);
    assert_real("f64", "p[0] + p[0] + p[0]", 0.1 + 0.1 + 0.1);
    assert_real("f64", "a*4", 10);
    assert_real("f64", "sqrt(l*l) + abs(r) + pow(2, 3)", 21);
    assert_real("f64", "exp(0) + log(1)", 1);
    assert_real("f64", "min(l, r) + max(l, r)*2", 17);
    assert_real("f64", "-(l*0)", -0.0);
    assert_real("f64", "l > 9.5", 1);
    assert_real("f64", "l > r ? 1 : 2.5", 1);
    assert_real("f64", "(i < j)*l", 10);
    assert_real("f64", "add[q<3] (p[0]*q)", 0.0 + 0.1 + 0.2);
    assert_real("f64", "min[q<0] l", INFINITY);
    assert_real("f64", "max[q<0] l", -INFINITY);
    assert_real("f64", "sum(p, 1, 4)", real_list_sums[4] - real_list_sums[1]);
    assert_real("f64", "l/0", INFINITY);
    assert_real("f64", "(j & 5) + (k << 2) + j%3", 4 + 8 + 1);
    assert_real("f64", "!l + !(l - 10)", 1);
    assert_real("f64", "0", 0);
}

/* f32: every operation rounds to a float. */
static void test_single(void **unused) {
    (void)unused;
    volatile float tenth = 0.1F;
    volatile float product = tenth * 3;
    volatile float sum = product + 10;
    assert_real("f32", "p[0]", (double)tenth);
    assert_real("f32", "0.1", (double)tenth);
    assert_real("f32", "p[0]*3 + l", (double)sum);
    volatile float large = 16777216;
    assert_real("f32", "l*0 + 16777217", (double)large);
    assert_real("f32", "sqrt(l)", (double)(float)sqrt(10));
}

/* A multiply-add rounds once. */
static void test_multiply_add(void **unused) {
    (void)unused;
    static const char *const types[] = {"f64", "f32", "", "bits", "mod P"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        fixture f;
        set_up(&f, types[t], "l + r");
        bool is_float = types[t][0] == 'f';
        double step = t == 0 ? 0x1p-30 : 0x1p-14;
        pdp_node *node = &f.recurrence->nodes[f.recurrence->term]; /* l*l + r */
        node->kind = PDP_NODE_MULADD;
        node->child[2] = node->child[1];
        node->child[1] = node->child[0];
        node->child_count = 3;
        pdp_value left = {.whole = 3};
        pdp_value right = {.whole = 5};
        if (is_float) {
            left.real = 1 + step;
            right.real = -1 - 2 * step;
        }
        pdp_value found = evaluate(&f, left, right);
        if (is_float) {
            assert_true(found.real > 0 && found.real < step * step * 1.001);
        } else {
            assert_true(found.whole == (t == 4 ? 0 : 14));
        }
        pdp_recurrence_free(f.recurrence);
    }
}

/* A whole recurrence whose elements are carried by floats has the same values. */
static void test_carried_by_floats(void **unused) {
    (void)unused;
    static const char *const expressions[] = {"l/3",    "l%3",           "r/2",        "r & 6",           "~l",
                                              "l << 3", "r >> 1",        "l*r - p[1]", "abs(r)",          "(l > r) + l",
                                              "-l",     "l > r ? l : i", "min(l, r)",  "add[q<3] (l + q)"};
    for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++) {
        fixture f;
        set_up(&f, "", expressions[e]);
        pdp_wide expected = evaluate(&f, (pdp_value){.whole = 10}, (pdp_value){.whole = -3}).whole;
        f.bindings.element = PDP_ELEMENT_F64;
        double found = evaluate(&f, (pdp_value){.real = 10}, (pdp_value){.real = -3}).real;
        assert_true((pdp_wide)found == expected);
        assert_int_equal(f.bindings.error.status, PDP_OK);
        pdp_recurrence_free(f.recurrence);
    }
}

/* What is not evaluated cannot fail. */
static void test_lazy(void **unused) {
    (void)unused;
    assert_whole("", "i > 1 ? p[0-1+0*i] : 5", 5);
    assert_whole("", "i > 1 && p[i-2] == 1", 0);
    assert_whole("", "i == 1 || p[i-2] == 1", 1);
    assert_whole("", "i == 1 ? 3 : 1/(i-1)", 3);
    assert_whole("", "add[q<i-1] p[q-1]", 0);
}

/* The first error is kept, with what was wrong and where. */
static void test_errors(void **unused) {
    (void)unused;
    assert_fails("", "p[i*k+3]", "line 11, column 7: index 5 of 'p' is outside 0 .. 4 at i = 1, k = 2, j = 4");
    assert_fails("", "p[i*k-3]", "line 11, column 7: index -1 of 'p' is outside 0 .. 4 at i = 1, k = 2, j = 4");
    assert_fails("", "c[0,j/1] + p[j*k]", "line 11, column 7: index 4 of 'c' is outside 0 .. 2 at i = 1, k = 2, j = 4");
    assert_fails("", "sum(p, 0, j*k)", "line 11, column 7: index 8 of 'p' is outside 0 .. 5 at i = 1, k = 2, j = 4");
    assert_fails("", "1/l", "line 11, column 8: division by zero at i = 1, k = 2, j = 4");
    assert_fails("", "i%(k-2)", "line 11, column 8: division by zero at i = 1, k = 2, j = 4");
    assert_fails("bits", "5/l", "line 11, column 8: division by zero at i = 1, k = 2, j = 4");
    assert_fails("f64", "l/r", "line 11, column 8: the result is not a number at i = 1, k = 2, j = 4");
    assert_fails("f64", "1/0 + l", "line 11, column 8: division by zero at i = 1, k = 2, j = 4");
    assert_fails("f64", "sqrt(l-1)", "line 11, column 7: the result is not a number at i = 1, k = 2, j = 4");
    assert_fails("f64", "log(l-1)", "line 11, column 7: the result is not a number at i = 1, k = 2, j = 4");
    assert_fails("f64", "pow(l-1, 0.5)", "line 11, column 7: the result is not a number at i = 1, k = 2, j = 4");
    assert_fails("f64", "l + 1.0/0 - 1.0/0", "line 11, column 17: the result is not a number at i = 1, k = 2, j = 4");
    pdp_recurrence *recurrence;
    static const char linear[] = "linear a\n input a[k]\n size 3\n missing skip\n offset a[j]\n term a[s*0+0]\n"
                                 " combine add\n";
    assert_int_equal(pdp_recurrence_parse(&recurrence, linear, strlen(linear)), PDP_BAD_INPUT);
    pdp_recurrence_free(recurrence);
    static const char far[] = "linear a\n input a[k]\n size 3\n missing skip\n offset a[j]\n term s + a[i]\n"
                              " combine add\n";
    assert_int_equal(pdp_recurrence_parse(&recurrence, far, strlen(far)), PDP_OK);
    pdp_bound_input input = {.whole = list, .extent = {2, 1}};
    pdp_bindings bindings = {.recurrence = recurrence, .dims = (int64_t[]){2}, .inputs = &input, .i = 2, .j = 1};
    pdp_interpret(&bindings, recurrence->term);
    assert_string_equal(bindings.error.text, "line 6, column 11: index 2 of 'a' is outside 0 .. 1 at i = 2, j = 1");
    pdp_recurrence_free(recurrence);
}

/* The operators of `combine` and what they leave as it is. */
static void test_combine(void **unused) {
    (void)unused;
    static const struct {
        pdp_op op;
        int64_t expected;
    } examples[] = {{PDP_OP_MIN, -18}, {PDP_OP_MAX, 12},      {PDP_OP_ADD, -6},       {PDP_OP_MUL, -216},
                    {PDP_OP_AND, 12},  {PDP_OP_OR, 12 | -18}, {PDP_OP_XOR, 12 ^ -18}, {PDP_OP_GCD, 6}};
    fixture f;
    set_up(&f, "", "l");
    for (size_t e = 0; e < sizeof examples / sizeof *examples; e++) {
        pdp_value a = {.whole = 12};
        pdp_value b = {.whole = -18};
        pdp_wide expected = examples[e].op == PDP_OP_AND ? (12 & -18) : examples[e].expected;
        assert_true(pdp_interpret_combine(&f.bindings, examples[e].op, a, b).whole == expected);
        pdp_value identity = pdp_interpret_identity(&f.bindings, examples[e].op);
        assert_true(pdp_interpret_combine(&f.bindings, examples[e].op, identity, a).whole == 12);
        assert_true(pdp_interpret_combine(&f.bindings, examples[e].op, a, identity).whole == 12);
    }
    pdp_recurrence_free(f.recurrence);
    set_up(&f, "f64", "l");
    static const pdp_op real[] = {PDP_OP_MIN, PDP_OP_MAX, PDP_OP_ADD, PDP_OP_MUL, PDP_OP_LOGSUMEXP};
    for (size_t e = 0; e < sizeof real / sizeof *real; e++) {
        pdp_value identity = pdp_interpret_identity(&f.bindings, real[e]);
        assert_true(pdp_interpret_combine(&f.bindings, real[e], identity, (pdp_value){.real = 1.5}).real == 1.5);
        assert_true(pdp_interpret_combine(&f.bindings, real[e], identity, identity).real == identity.real);
    }
    pdp_value two =
        pdp_interpret_combine(&f.bindings, PDP_OP_LOGSUMEXP, (pdp_value){.real = 1000}, (pdp_value){.real = 1000});
    assert_true(fabs(two.real - (1000 + log(2))) < 1e-12);
    assert_int_equal(f.bindings.error.status, PDP_OK);
    pdp_recurrence_free(f.recurrence);
    static const char own[] = "interval a\n size 3\n leaf 0\n term l\n combine (x, y) x + y + x*y identity 0\n";
    assert_int_equal(pdp_recurrence_parse(&f.recurrence, own, strlen(own)), PDP_OK);
    f.bindings = (pdp_bindings){.recurrence = f.recurrence};
    pdp_value combined =
        pdp_interpret_combine(&f.bindings, PDP_OP_OWN, (pdp_value){.whole = 2}, (pdp_value){.whole = 5});
    assert_true(combined.whole == 17);
    assert_true(pdp_interpret_identity(&f.bindings, PDP_OP_OWN).whole == 0);
    pdp_recurrence_free(f.recurrence);
}

/* The matrix chain by its recurrence, cell by cell, from the built-in file:
 * M[i][j] = min over i<k<j of M[i][k] + M[k][j] + p[i]*p[k]*p[j]. */
static void test_mcm(void **unused) {
    (void)unused;
    static const int64_t p[] = {30, 35, 15, 5, 10, 20, 25};
    enum { POINTS = 7 };
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_load(&recurrence, "mcm"), PDP_OK);
    pdp_bound_input input = {.whole = p, .extent = {POINTS, 1}};
    pdp_bindings bindings = {.recurrence = recurrence, .dims = (int64_t[]){POINTS - 1}, .inputs = &input};
    assert_true(pdp_interpret(&bindings, recurrence->size).whole == POINTS);
    pdp_value table[POINTS][POINTS];
    for (int d = 1; d < POINTS; d++) {
        for (int i = 0; i + d < POINTS; i++) {
            bindings.i = i;
            bindings.j = i + d;
            table[i][i + d] = d == 1 ? pdp_interpret_element(&bindings, recurrence->leaf)
                                     : pdp_interpret_identity(&bindings, PDP_OP_MIN);
            for (int k = i + 1; k < i + d; k++) {
                bindings.k = k;
                bindings.cells[PDP_CELL_LEFT] = table[i][k];
                bindings.cells[PDP_CELL_RIGHT] = table[k][i + d];
                pdp_value term = pdp_interpret_element(&bindings, recurrence->term);
                table[i][i + d] = pdp_interpret_combine(&bindings, recurrence->combine, table[i][i + d], term);
            }
        }
    }
    assert_true(table[0][POINTS - 1].whole == 15125);
    assert_string_equal(bindings.error.text, "");
    pdp_recurrence_free(recurrence);
}

/* Evaluates the term in every cell of n+1 points; true if all indices were inside. */
static bool stays_inside(const pdp_recurrence *recurrence, int64_t n) {
    static const int64_t zeros[64];
    pdp_bound_input input = {.whole = zeros, .extent = {n + 1, 1}};
    pdp_bindings bindings = {.recurrence = recurrence, .dims = &n, .inputs = &input};
    for (bindings.i = 0; bindings.i <= n; bindings.i++) {
        for (bindings.k = bindings.i + 1; bindings.k <= n; bindings.k++) {
            for (bindings.j = bindings.k + 1; bindings.j <= n; bindings.j++) {
                pdp_interpret(&bindings, recurrence->term);
                if (bindings.error.status != PDP_OK) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Proven indices never leave the input, refused ones do in every large problem, the rest depends. */
static void test_proofs(void **unused) {
    (void)unused;
    static const char frame[] = "interval a\n input p[n+1]\n size n+1\n leaf 0\n combine add\n"
                                " term p[%s%d*i + %d*k + %d*j + %d*n + %d%s]\n";
    uint64_t random = test_seed();
    size_t proven = 0;
    size_t refused = 0;
    for (size_t t = 0; t < campaign(3000, 100000); t++) {
        int factor[5];
        for (int v = 0; v < 5; v++) {
            factor[v] = (int)pdp_random_between(&random, v == 4 ? -3 : -1, v == 4 ? 3 : 1);
        }
        char text[256];
        snprintf(text, sizeof text, frame, "", factor[0], factor[1], factor[2], factor[3], factor[4], "");
        pdp_recurrence *recurrence;
        pdp_status status = pdp_recurrence_parse(&recurrence, text, strlen(text));
        if (status == PDP_OK) {
            bool is_proven = true;
            for (uint32_t x = 0; x < recurrence->node_count; x++) {
                is_proven &= recurrence->nodes[x].kind != PDP_NODE_LOOKUP || recurrence->nodes[x].index_proven;
            }
            proven += is_proven;
            for (int64_t n = 0; is_proven && n <= 9; n++) {
                CHECK(stays_inside(recurrence, n), "n = %" PRId64 "\n%s", n, text);
            }
        } else { /* the same, but not for certain: then it is evaluated */
            refused++;
            pdp_recurrence_free(recurrence);
            snprintf(text, sizeof text, frame, "n < 0 ? 0 : ", factor[0], factor[1], factor[2], factor[3], factor[4],
                     "");
            assert_int_equal(pdp_recurrence_parse(&recurrence, text, strlen(text)), PDP_OK);
            for (int64_t n = 20; n <= 22; n++) {
                CHECK(!stays_inside(recurrence, n), "n = %" PRId64 "\n%s", n, text);
            }
        }
        pdp_recurrence_free(recurrence);
    }
    assert_true(proven > 50 && refused > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),        cmocka_unit_test(test_large),
        cmocka_unit_test(test_sets),         cmocka_unit_test(test_residues),
        cmocka_unit_test(test_floats),       cmocka_unit_test(test_single),
        cmocka_unit_test(test_multiply_add), cmocka_unit_test(test_carried_by_floats),
        cmocka_unit_test(test_lazy),         cmocka_unit_test(test_errors),
        cmocka_unit_test(test_combine),      cmocka_unit_test(test_mcm),
        cmocka_unit_test(test_proofs),
    };
    return cmocka_run_group_tests_name("interpret", tests, NULL, NULL);
}
