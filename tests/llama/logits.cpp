// Logits of a model through libllama's C API, on the CPU or with every layer on the first GPU, and how
// far they are from those of another run.
//
//   logits MODEL --device cpu --write FILE              the reference
//   logits MODEL --device gpu --reference FILE [--tolerance X]
//   logits MODEL --device gpu --reference FILE --exact FILE [--tolerance X]
//
// A prompt goes through at once (so through matrix times matrix), then greedy tokens one by one (matrix
// times vector). With a reference its tokens are fed whatever was computed, so that every row of logits
// is compared for the same text. Passes when
//   no logit is further from the reference's than X times the reference's greatest, and each greedy choice
//   is the reference's;
//   with --exact (logits of the same weights in f32): the distance from the exact ones is not larger than X
//   times the reference's own. That is the fair question where both sides round activations to a few bits,
//   each in its own way.
// Prints one line of numbers, then PASS or FAIL. Exit: 0, 1 a difference, 2 wrong usage or no such device.

#include <ggml-backend.h>
#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "logits: %s\n", what.c_str());
  std::exit(2);
}

struct Options {
  std::string model, device = "cpu", write, reference, exact;
  int prompt = 24, generate = 8, threads = 1;
  bool flash = false, exact_cache = false, verbose = false;
  double tolerance = 1e-3;
};

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc)
        fail(name + " needs a value");
      return argv[i];
    };
    if (name == "--device")
      options.device = value();
    else if (name == "--write")
      options.write = value();
    else if (name == "--reference")
      options.reference = value();
    else if (name == "--exact")
      options.exact = value();
    else if (name == "--prompt")
      options.prompt = std::stoi(value());
    else if (name == "--generate")
      options.generate = std::stoi(value());
    else if (name == "--threads")
      options.threads = std::stoi(value());
    else if (name == "--tolerance")
      options.tolerance = std::stod(value());
    else if (name == "--flash")
      options.flash = true;
    else if (name == "--f32-cache")
      options.exact_cache = true;
    else if (name == "--verbose")
      options.verbose = true;
    else if (name[0] != '-' && options.model.empty())
      options.model = name;
    else
      fail("unknown option " + name);
  }
  if (options.model.empty())
    fail("needs a model");
  if (options.device != "cpu" && options.device != "gpu")
    fail("--device is cpu or gpu");
  if (options.prompt < 1 || options.generate < 0)
    fail("needs a prompt");
  return options;
}

// What one run computed: rows of logits, and the token that was greatest in each of those rows that
// choose one (the prompt's last and each generated one's).
struct Run {
  int32_t vocabulary = 0;
  std::vector<int32_t> fed;
  std::vector<float> logits;
};

int32_t greatest(const float *row, int32_t count) {
  return static_cast<int32_t>(std::max_element(row, row + count) - row);
}

void save(const Run &run, const std::string &name) {
  std::FILE *file = std::fopen(name.c_str(), "wb");
  if (!file)
    fail("cannot write " + name);
  const int32_t sizes[] = {run.vocabulary, static_cast<int32_t>(run.fed.size())};
  bool good = std::fwrite(sizes, sizeof sizes, 1, file) == 1;
  good &= std::fwrite(run.fed.data(), sizeof(int32_t), run.fed.size(), file) == run.fed.size();
  good &=
      std::fwrite(run.logits.data(), sizeof(float), run.logits.size(), file) == run.logits.size();
  if (std::fclose(file) != 0 || !good)
    fail("cannot write " + name);
}

Run load(const std::string &name) {
  std::FILE *file = std::fopen(name.c_str(), "rb");
  if (!file)
    fail("cannot read " + name);
  Run run;
  int32_t sizes[2] = {};
  bool good = std::fread(sizes, sizeof sizes, 1, file) == 1 && sizes[0] > 0 && sizes[1] > 0 &&
              sizes[1] < 1 << 20;
  if (good) {
    run.vocabulary = sizes[0];
    run.fed.resize(sizes[1]);
    run.logits.resize(static_cast<size_t>(sizes[0]) * sizes[1]);
    good =
        std::fread(run.fed.data(), sizeof(int32_t), run.fed.size(), file) == run.fed.size() &&
        std::fread(run.logits.data(), sizeof(float), run.logits.size(), file) == run.logits.size();
  }
  std::fclose(file);
  if (!good)
    fail(name + " is no reference");
  return run;
}

struct Difference {
  double greatest = 0; // of a logit
  double scale = 0;    // the reference's greatest logit
  double nmse = 0;     // squares of differences by squares of the reference
  bool finite = true;
  int choices = 0, same = 0;
  double margin = INFINITY; // least distance between the reference's choice and what came next
};

Difference compare(const Run &run, const Run &reference, int prompt) {
  Difference d;
  double squares = 0, all = 0;
  for (size_t i = 0; i < reference.logits.size(); ++i) {
    const double want = reference.logits[i], got = run.logits[i];
    d.finite &= std::isfinite(want) && std::isfinite(got);
    d.greatest = std::max(d.greatest, std::abs(want - got));
    d.scale = std::max(d.scale, std::abs(want));
    squares += (want - got) * (want - got);
    all += want * want;
  }
  d.nmse = squares / all;
  for (size_t row = prompt - 1; row < reference.fed.size(); ++row) {
    const float *want = reference.logits.data() + row * reference.vocabulary;
    const int32_t choice = greatest(want, reference.vocabulary);
    ++d.choices;
    d.same += greatest(run.logits.data() + row * run.vocabulary, run.vocabulary) == choice;
    for (int32_t i = 0; i < reference.vocabulary; ++i)
      if (i != choice)
        d.margin = std::min(d.margin, static_cast<double>(want[choice]) - want[i]);
  }
  return d;
}

void quiet(ggml_log_level level, const char *text, void *everything) {
  if (everything || level == GGML_LOG_LEVEL_ERROR)
    std::fputs(text, stderr);
}

} // namespace

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  llama_log_set(quiet, options.verbose ? stderr : nullptr);
  const auto start = Clock::now();
  ggml_backend_load_all();
  llama_backend_init();

  // An empty list, and not none, keeps everything on the CPU: none means whatever there is.
  ggml_backend_dev_t devices[2] = {};
  if (options.device == "gpu") {
    devices[0] = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU);
    if (!devices[0])
      devices[0] = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_IGPU);
    if (!devices[0])
      fail("there is no GPU");
  }
  llama_model_params model_params = llama_model_default_params();
  model_params.devices = devices;
  model_params.n_gpu_layers = devices[0] ? 999 : 0;
  llama_model *model = llama_model_load_from_file(options.model.c_str(), model_params);
  if (!model)
    fail("cannot load " + options.model);

  llama_context_params context_params = llama_context_default_params();
  context_params.n_ctx = 128;
  context_params.n_batch = context_params.n_ubatch = 64;
  context_params.n_threads = context_params.n_threads_batch = options.threads;
  context_params.flash_attn_type =
      options.flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  if (options.exact_cache)
    context_params.type_k = context_params.type_v = GGML_TYPE_F32;
  context_params.offload_kqv = context_params.op_offload = devices[0] != nullptr;
  llama_context *context = llama_init_from_model(model, context_params);
  if (!context)
    fail("cannot make a context");

  Run run;
  run.vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
  Run reference;
  if (!options.reference.empty()) {
    reference = load(options.reference);
    if (reference.vocabulary != run.vocabulary ||
        reference.fed.size() != static_cast<size_t>(options.prompt + options.generate))
      fail("the reference is of another model or length");
  }
  // Any tokens do; these are spread over the vocabulary behind the three that are not text.
  for (int i = 0; i < options.prompt; ++i)
    run.fed.push_back(3 + (i * 73 + i * i * 11) % (run.vocabulary - 3));
  if (!reference.fed.empty() && !std::equal(run.fed.begin(), run.fed.end(), reference.fed.begin()))
    fail("the reference is of another prompt");

  const double loading = seconds(start);
  // Computes the logits of fed[first...], which are appended.
  const auto decode = [&](int first) {
    const int count = static_cast<int>(run.fed.size()) - first;
    llama_batch batch = llama_batch_init(count, 0, 1);
    batch.n_tokens = count;
    for (int i = 0; i < count; ++i) {
      batch.token[i] = run.fed[first + i];
      batch.pos[i] = first + i;
      batch.n_seq_id[i] = 1;
      batch.seq_id[i][0] = 0;
      batch.logits[i] = 1;
    }
    if (const int error = llama_decode(context, batch))
      fail("llama_decode: " + std::to_string(error));
    for (int i = 0; i < count; ++i) {
      const float *row = llama_get_logits_ith(context, i);
      if (!row)
        fail("there are no logits");
      run.logits.insert(run.logits.end(), row, row + run.vocabulary);
    }
    llama_batch_free(batch);
  };
  const auto before_prompt = Clock::now();
  decode(0);
  const double prompt_seconds = seconds(before_prompt);
  // The first token finds code that is not translated or not loaded yet; so the least is told, too.
  // Processor time is that of all threads, so also of those that execute waves.
  double token_seconds = 0, least = INFINITY;
  const std::clock_t processor = std::clock();
  for (int i = 0; i < options.generate; ++i) {
    const size_t at = run.fed.size();
    run.fed.push_back(reference.fed.empty()
                          ? greatest(run.logits.data() + (at - 1) * run.vocabulary, run.vocabulary)
                          : reference.fed[at]);
    const auto before = Clock::now();
    decode(static_cast<int>(at));
    token_seconds += seconds(before);
    least = std::min(least, seconds(before));
  }
  const double used = double(std::clock() - processor) / CLOCKS_PER_SEC;
  if (!options.write.empty())
    save(run, options.write);

  std::printf("device %s start %.2f s prompt %.4f generate %.4f cpu %.4f least %.4f s/token",
              devices[0] ? ggml_backend_dev_description(devices[0]) : "CPU", loading,
              prompt_seconds / options.prompt,
              options.generate ? token_seconds / options.generate : 0,
              options.generate ? used / options.generate : 0, options.generate ? least : 0);
  bool pass =
      std::all_of(run.logits.begin(), run.logits.end(), [](float x) { return std::isfinite(x); });
  if (!reference.fed.empty()) {
    const Difference d = compare(run, reference, options.prompt);
    std::printf(" max-error %.3g of %.4g relative %.3g nmse %.3g greedy %d/%d margin %.3g",
                d.greatest, d.scale, d.greatest / d.scale, d.nmse, d.same, d.choices, d.margin);
    if (options.exact.empty()) {
      pass = d.finite && d.greatest <= options.tolerance * d.scale && d.same == d.choices;
    } else {
      const Run exact = load(options.exact);
      if (exact.fed != run.fed || exact.logits.size() != run.logits.size())
        fail("the exact logits are of another text");
      const double own = compare(run, exact, options.prompt).nmse;
      const double others = compare(reference, exact, options.prompt).nmse;
      std::printf(" from-exact %.3g reference-from-exact %.3g", std::sqrt(own), std::sqrt(others));
      pass = d.finite && std::sqrt(own) <= options.tolerance * std::sqrt(others);
    }
  }
  std::printf("\n%s\n", pass ? "PASS" : "FAIL");
  llama_free(context);
  llama_model_free(model);
  llama_backend_free();
  return pass ? 0 : 1;
}
