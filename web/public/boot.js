// Sets theme and language before the first paint, so that nothing flashes. A file
// of its own: the content security policy allows no inline script.
(function () {
  var p = {};
  try {
    p = JSON.parse(localStorage.getItem("allspark.preferences") || "{}");
  } catch {
    p = {};
  }
  var dark =
    p.theme === "dark" || (p.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.dataset.density = p.density === "comfortable" ? "comfortable" : "compact";
})();
