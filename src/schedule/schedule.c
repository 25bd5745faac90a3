#include "schedule/schedule.h"

pdp_status pdp_schedule_check_size(const pdp_schedule *schedule, pdp_error *error) {
    if (schedule->addresses >= UINT32_MAX) {
        return pdp_error_set(error, PDP_NO_MEMORY,
                             "the step-exact machine has 4294967294 addresses, and this problem takes %zu",
                             schedule->addresses);
    }
    return PDP_OK;
}

void pdp_schedule_merge(pdp_round *round, pdp_shape kind, size_t count, size_t stride, size_t home, size_t scratch) {
    uint32_t *operand = kind == PDP_LINEAR ? round->left : round->right;
    size_t pairs = 0;
    for (size_t slot = 0; slot + stride < count; slot += 2 * stride) {
        round->thread[pairs] = (uint32_t)pairs;
        round->target[pairs] = (uint32_t)(slot == 0 ? home : scratch + slot - 1);
        operand[pairs] = (uint32_t)(scratch + slot + stride - 1);
        round->flags[pairs] = 0;
        pairs++;
    }
    if (2 * stride >= count) {
        round->flags[0] = PDP_FINISHES;
    }
    round->count = pairs;
    round->left_count = kind == PDP_LINEAR ? pairs : 0;
    round->right_count = kind == PDP_LINEAR ? 0 : pairs;
}
