#!/usr/bin/env bash
# The page of `nereid inspect --html` in a browser: it loads from a file without a word on the console, sorts, filters,
# shows an image with its occupancy and its stages, and marks the lines that come from one another. A script is added to a
# copy of the page, which does what a user would and writes what it sees into the page's title.
#
#   inspect_page.sh NEREID     skipped (77) without Chromium
set -uo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "skipped: no Chromium here (apt-get install chromium)"
  exit 77
}

# Whether there is a disassembler is the machine's affair.
export NEREID_NVDISASM=none
cat >scale.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x * 2.0


@triton.jit
def scale(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, twice(x), mask=i < n)
PY
cat >app.json <<'JSON'
{"name": "app", "kernels": [{"source": "scale.py", "kernel": "scale", "grid": "cdiv(n, BLOCK)",
 "targets": ["cpu:x86-64-v3", "cuda:90a", "hip:gfx942"],
 "signatures": ["*fp32:16, *fp32:16, i32:16, 1024", "*fp32, *fp32, i32, 64"]}]}
JSON
run "$nereid" build app.json -o out --stages
"$nereid" inspect --html out/libapp.so >page.html 2>log || fail "inspect --html"
! grep -Eq '(src|href)="?(http|//)' page.html || fail "the page refers to others"

# visit PAGE SCRIPT: prints what the script, the body of an async function, returns.
visit() {
  python3 - "$1" "$2" <<'PY'
import sys
page, script = sys.argv[1:]
text = open(page, encoding="utf-8").read()
head = """<script>
window.problems = [];
addEventListener("error", event => problems.push(event.message));
addEventListener("unhandledrejection", event => problems.push("" + event.reason));
["error", "warn", "log"].forEach(kind => console[kind] = (...words) => problems.push(words.join(" ")));
const until = async (what, is) => {
  for (let i = 0; i < 400; ++i) {
    if (is()) return;
    await new Promise(done => setTimeout(done, 10));
  }
  throw new Error("in vain: " + what);
};
const all = selector => [...document.querySelectorAll(selector)];
const mouse = (element, kind) => element.dispatchEvent(new MouseEvent(kind, { bubbles: true }));
</script>"""
tail = """<script>
(async () => {
  let result;
  try { result = await (async () => { %s })(); } catch (error) { result = "failed: " + error; }
  document.title = "RESULT " + JSON.stringify({ result, problems }) + " END";
})();
</script>""" % script
text = text.replace("<head>", "<head>" + head, 1)
at = text.rindex("</body>")
open("visited.html", "w", encoding="utf-8").write(text[:at] + tail + text[at:])
PY
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=20000 \
    --dump-dom "file://$work/visited.html" 2>browser.log | python3 -c '
import html, json, re, sys
found = re.search("<title>RESULT (.*?) END</title>", sys.stdin.read(), re.S)
answer = json.loads(html.unescape(found.group(1))) if found else {"result": "the page did not finish", "problems": []}
print(json.dumps(answer["result"], separators=(",", ":")) if not answer["problems"] else "problems: %s" % answer["problems"])'
}
# sees EXPECTED PAGE SCRIPT
sees() {
  local got
  got=$(visit "$2" "$3")
  [ "$got" = "$1" ] || { fail "expected $1 and got $got: $3"; }
}

sees '6' page.html 'return all("#images tbody tr").length;'
# Numbers sort as numbers, and the other way round at a second click.
sees '[true,true]' page.html '
  const head = all("#images th").find(one => one.textContent === "bytes");
  const column = () => all("#images tbody tr").map(row => Number(row.cells[head.cellIndex].dataset.v));
  const sorted = list => [...list].sort((a, b) => a - b);
  head.click();
  const up = JSON.stringify(column()) === JSON.stringify(sorted(column()));
  head.click();
  return [up, JSON.stringify(column()) === JSON.stringify(sorted(column()).reverse())];'
sees '["2 of 6",["cuda:90a","cuda:90a"]]' page.html '
  const filter = document.getElementById("filter");
  filter.value = "CUDA scale";
  filter.dispatchEvent(new Event("input"));
  const rows = all("#images tbody tr").filter(row => !row.hidden);
  return [document.getElementById("count").textContent, rows.map(row => row.cells[2].textContent)];'

open='const row = all("#images tbody tr").find(one => one.textContent.includes("TARGET"));
  row.click();
  await until("stages", () => document.querySelector("#columns"));
  const lines = stage => all(`.stage[data-stage="${stage}"] .line`);
  const source = text => lines("source").find(line => line.textContent.includes(text));'
cuda=${open/TARGET/cuda:90a} amd=${open/TARGET/hip:gfx942} cpu=${open/TARGET/x86-64-v3}
sees '["source","ttir","ttgir","llir","ptx"]' page.html "$cuda return all('.stage').map(one => one.dataset.stage);"
sees '["source","ttir","ttgir","llir","amdgcn"]' page.html "$amd return all('.stage').map(one => one.dataset.stage);"
sees '["source","ttir","llir","asm"]' page.html "$cpu return all('.stage').map(one => one.dataset.stage);"
sees '[2,true,true]' page.html "$amd"'
  const taken = all("#detail rect.taken").length, cells = all("#detail rect").length;
  return [all("#detail .point").length, cells === 32, taken > 0 && taken <= cells];'
# The source is that of the kernel, and a line of it marks those that come from it, in every stage, and no others.
sees '["    return x * 2.0",true,true,true,true,true,0]' page.html "$cuda"'
  const line = source("return x * 2.0");
  mouse(line, "mouseover");
  const hot = stage => lines(stage).filter(one => one.classList.contains("hot")).map(one => one.textContent).join("\n");
  const found = [line.textContent, hot("ttir").includes("arith.mulf"), !hot("ttir").includes("tt.load"),
                 hot("ttgir").includes("arith.mulf"), hot("llir").includes("fmul"), hot("ptx").includes("mul.rn.f32") || hot("ptx").includes("mul.f32") || hot("ptx").includes("add")];
  mouse(source("import triton"), "mouseover");
  return found.concat(all(".hot").length);'
# The other way round, and held by a click, also where it was inlined: the call and the function.
sees '[true,true,true]' page.html "$cuda"'
  const product = lines("ttir").find(line => line.textContent.includes("arith.mulf"));
  product.click();
  const held = all(".stage[data-stage=source] .held").map(line => line.textContent);
  const before = all(".held").length;
  document.querySelector("#columns").click();
  return [held.some(text => text.includes("return x * 2.0")), held.some(text => text.includes("twice(x)")),
          before > 0 && all(".held").length === 0];'
sees '[true,true]' page.html "$cpu"'
  mouse(source("tl.store"), "mouseover");
  const hot = stage => lines(stage).filter(one => one.classList.contains("hot")).map(one => one.textContent).join("\n");
  return [hot("llir").includes("store"), hot("asm").includes("mov")];'
sees '[true,true]' page.html "$amd"'
  mouse(source("tl.store"), "mouseover");
  const hot = lines("amdgcn").filter(one => one.classList.contains("hot")).map(one => one.textContent).join("\n");
  return [hot.includes("store"), !lines("amdgcn").some(one => one.textContent.includes(".loc"))];'

# Names may be anything, and stages may be missing.
sed 's/"scale.py"/"<b>\&.py"/; s/"name": "app"/"name": "odd"/; s/"hip:gfx942"/"cuda:80"/' app.json >odd.json
cp scale.py '<b>&.py'
run "$nereid" build odd.json -o out
"$nereid" inspect --html out/libodd.so >odd.html
sees '[0,true]' odd.html 'all("#images tbody tr")[1].click();
  await until("note", () => document.querySelector("#detail p"));
  return [all("b").length, document.querySelector("#detail").textContent.includes("nereid compile --stages")];'

finish inspect_page
