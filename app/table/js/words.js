// The page's own words, and how numbers read in a language. Everything about the game comes from the server.
export const LANGUAGES = ["en", "ru", "pl"];
export const NAMES = { en: "English", ru: "Русский", pl: "Polski" };

let words = {};
let numbers = new Intl.NumberFormat("en");
let shares = new Intl.NumberFormat("en", { style: "percent" });

export async function speak(language) {
  const answer = await fetch(`/table/assets/words/${language}.json`);
  words = await answer.json();
  numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  shares = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  document.documentElement.lang = language;
}

export function preferred() {
  const kept = localStorage.getItem("turnwright.language");
  if (LANGUAGES.includes(kept)) return kept;
  const wished = navigator.languages.map((one) => one.slice(0, 2).toLowerCase());
  return wished.find((one) => LANGUAGES.includes(one)) ?? "en";
}

// A text by its key, with {figures} filled in. A missing key shows itself: a test holds all three lists to the same keys.
export const t = (key, figures = {}) => (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => figures[name] ?? "");
export const knows = (key) => key in words;
export const number = (value) => numbers.format(value);
export const percent = (value) => shares.format(value);
