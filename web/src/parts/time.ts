// Times and numbers as people write them, in their language and zone.
import type { Language } from "../preferences";

export function date(iso: string | null | undefined, language: Language): string {
  if (!iso) return "";
  // A day without a time is that day everywhere.
  if (/^\d{4}(-\d\d)?$/.test(iso)) return iso;
  const zone = /^\d{4}-\d\d-\d\d$/.test(iso) ? { timeZone: "UTC" } : {};
  return new Date(iso).toLocaleDateString(language, { year: "numeric", month: "short", day: "numeric", ...zone });
}

export function moment(iso: string, language: Language): string {
  return new Date(iso).toLocaleString(language, { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
}

export function count(number: number, language: Language): string {
  return number.toLocaleString(language);
}

export function figure(number: number, digits = 2): string {
  return number.toFixed(digits);
}
