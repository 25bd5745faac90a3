#if PDP_PART(1)
/* The presets and the weights: see above; n2: threads. Of the terms those in the list come first. */
KERNEL(pdp_linear_start, THREADS, 1, 0) {
    const int64_t dense = n5, list_count = n4 & 0xffffffff, all = n4 >> 32;
    const GLOBAL uint32_t *offsets = (const GLOBAL uint32_t *)b2 + dense / WINDOW;
    const int64_t first = (int64_t)GROUP * THREADS + THREAD;
    for (int64_t i = first; i < n1; i += n2) {
        ((GLOBAL elem *)b0)[i] = preset(d, i);
    }
    for (int64_t t = first; t < all && PDP_NW > 0; t += n2) {
        elem w[SOME(PDP_NW)];
        hoist_w(d, offsets[all + t], w);
        for (int v = 0; v < PDP_NW; v++) {
            ((GLOBAL elem *)b3)[t < list_count ? PDP_NW * dense + t * PDP_NW + v : v * dense + offsets[t]] = w[v];
        }
    }
}
#endif
