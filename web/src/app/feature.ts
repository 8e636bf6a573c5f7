import type { ComponentType } from "react";
import type { RouteObject } from "react-router";
import type { IconName } from "../ui/icons";

/** Something the palette can do. */
export interface Command {
  id: string;
  group: string;
  label: string;
  hint?: string;
  to?: string;
  run?: () => void;
}

export interface NavItem {
  group: "operate" | "design" | "govern";
  order: number;
  path: string;
  label: string; // i18n key
  icon: IconName;
  key: string; // pressed after g
  Badge?: ComponentType; // a figure beside the label, while it says something
}

/** What a feature's folder brings to the console; nothing else refers to the folder. */
export interface Feature {
  nav: NavItem[];
  routes: RouteObject[];
  /** Pages without the shell, and without a sign-in: a screen on a wall. */
  bare?: RouteObject[];
  /** Objects whose name contains the text, for the palette. */
  find?: (text: string, signal: AbortSignal) => Promise<Command[]>;
}

const found = import.meta.glob<Feature>("../features/*/feature.ts", { eager: true, import: "default" });

export const features: Feature[] = Object.values(found);

export const navItems: NavItem[] = features.flatMap((f) => f.nav).sort((a, b) => a.order - b.order);
