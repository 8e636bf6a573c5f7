import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";

const zero = "0001-01-01";

/** Whether a time of the API says anything: Go's zero time does not. */
export function isTime(s: string | null | undefined): s is string {
  return !!s && !s.startsWith(zero) && !Number.isNaN(Date.parse(s));
}

export function clock(s: string | number | null | undefined): string {
  if (typeof s === "string" ? !isTime(s) : s == null) return "–";
  return new Date(s!).toLocaleTimeString("sv-SE");
}

export function dateTime(s: string | null | undefined): string {
  return isTime(s) ? new Date(s).toLocaleString("sv-SE") : "–";
}

/** 1.2 ms, 34 ms, 1.25 s: three digits say enough. */
export function ms(v: number | null | undefined): string {
  if (v == null || !Number.isFinite(v)) return "–";
  if (v < 0) return v > -0.005 ? "0.00 ms" : `-${ms(-v)}`;
  if (v >= 1000) return `${(v / 1000).toFixed(2)} s`;
  if (v >= 100) return `${v.toFixed(0)} ms`;
  if (v >= 10) return `${v.toFixed(1)} ms`;
  return `${v.toFixed(2)} ms`;
}

export function count(v: number | null | undefined): string {
  if (v == null || !Number.isFinite(v)) return "–";
  if (v >= 1e6) return `${(v / 1e6).toFixed(2)} M`;
  if (v >= 1e4) return `${(v / 1e3).toFixed(1)} k`;
  return v >= 100 || Number.isInteger(v) ? v.toFixed(0) : v.toFixed(1);
}

export function share(v: number | null | undefined, digits = 2): string {
  return v == null || !Number.isFinite(v) || v < 0 ? "–" : `${(v * 100).toFixed(digits)} %`;
}

/** "3 d 04:12:33", "04:12:33"; never negative. */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  const pad = (n: number) => String(n).padStart(2, "0");
  const clock = `${pad(Math.floor(s / 3600) % 24)}:${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}`;
  return s >= 86_400 ? `${Math.floor(s / 86_400)} d ${clock}` : clock;
}

/** "3 min ago" in the reader's language. */
export function useAgo() {
  const { i18n } = useTranslation();
  const words = new Intl.RelativeTimeFormat(i18n.language === "zh" ? "zh-CN" : "en", {
    numeric: "auto",
    style: "short",
  });
  return (s: string | null | undefined, now = Date.now()): string => {
    if (!isTime(s)) return "–";
    const seconds = Math.round((Date.parse(s) - now) / 1000);
    const size = Math.abs(seconds);
    if (size < 60) return words.format(seconds, "second");
    if (size < 3600) return words.format(Math.round(seconds / 60), "minute");
    if (size < 86400) return words.format(Math.round(seconds / 3600), "hour");
    return words.format(Math.round(seconds / 86400), "day");
  };
}

/** What a scene's RT is: the mean in the reader's word, or a quantile such as p99. */
export const statisticOf = (t: TFunction, name: string | undefined) =>
  name && name !== "mean" ? name : t("ui.mean");
