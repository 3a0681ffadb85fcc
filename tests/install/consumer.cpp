// A stranger's program in C++17: handles in unique_ptr, arrays in vector.
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <pinion/pinion.h>

struct release {
    void operator()(pinion_model *m) const { pinion_model_free(m); }
    void operator()(pinion_work *w) const { pinion_work_free(w); }
};

int main()
{
    pinion_error err;
    std::unique_ptr<pinion_model, release> model(pinion_random_chain(7, 42, &err));
    if (!model) {
        std::printf("%s\n", err.message);
        return 1;
    }
    std::unique_ptr<pinion_work, release> work(pinion_work_new(model.get()));
    if (!work) return 1;

    // forward dynamics undoes inverse dynamics
    const pinion_model *m = model.get();
    const auto nv = static_cast<std::size_t>(pinion_model_nv(m));
    std::vector<double> q(static_cast<std::size_t>(pinion_model_nq(m)));
    std::vector<double> v(nv, 0.5), a(nv, -1.0), tau(nv), back(nv);
    pinion_work *w = work.get();
    if (pinion_random(m, 7, q.data()) ||
        pinion_inverse_dynamics(m, w, q.data(), v.data(), a.data(), nullptr, tau.data()) ||
        pinion_forward_dynamics(m, w, q.data(), v.data(), tau.data(), nullptr, back.data()))
        return 1;
    double worst = 0;
    for (std::size_t i = 0; i < nv; i++) worst = std::fmax(worst, std::fabs(back[i] - a[i]));
    std::printf("%zu joints, worst difference %g\n", nv, worst);
    return worst < 1e-8 ? 0 : 1;
}
