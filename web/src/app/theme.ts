import { theme, type ThemeConfig } from "antd";
import type { Density } from "../ui/preferences";

// The same palette as ui/ui.css; every pair of text and ground there reaches 4.5:1.
const palette = {
  light: {
    primary: "#0b6e69",
    ground: "#f4f6f5",
    surface: "#ffffff",
    line: "#dde3e1",
    text: "#14211f",
    soft: "#51625f",
    danger: "#b3261e",
    warning: "#8a5300",
    success: "#1b6e3c",
  },
  dark: {
    primary: "#4fd1c0",
    ground: "#0d1213",
    surface: "#141b1c",
    line: "#273234",
    text: "#e4ecea",
    soft: "#9db0ad",
    danger: "#ff8a80",
    warning: "#f5b948",
    success: "#6fd393",
  },
};

export function themeOf(dark: boolean, density: Density): ThemeConfig {
  const c = dark ? palette.dark : palette.light;
  const compact = density === "compact";
  return {
    algorithm: dark ? theme.darkAlgorithm : theme.defaultAlgorithm,
    token: {
      colorPrimary: dark ? "#2ba899" : c.primary,
      colorLink: c.primary,
      colorLinkHover: c.primary,
      colorError: dark ? "#e5736a" : c.danger,
      colorWarning: dark ? "#d99a2b" : "#a86a0a",
      colorSuccess: dark ? "#46b06f" : c.success,
      colorInfo: dark ? "#2ba899" : c.primary,
      colorBgLayout: c.ground,
      colorBgContainer: c.surface,
      colorBgElevated: dark ? "#1a2324" : "#ffffff",
      colorBorder: dark ? "#3a484a" : "#c3cdca",
      colorBorderSecondary: c.line,
      colorText: c.text,
      colorTextSecondary: c.soft,
      colorTextTertiary: c.soft,
      colorTextPlaceholder: dark ? "#8a9d9a" : "#62726f",
      colorTextDescription: c.soft,
      fontFamily:
        'Inter, "Segoe UI", system-ui, -apple-system, "PingFang SC", "Microsoft YaHei", "WenQuanYi Micro Hei", sans-serif',
      fontSize: compact ? 13 : 14,
      controlHeight: compact ? 28 : 34,
      controlHeightSM: compact ? 22 : 26,
      controlPaddingHorizontal: 9,
      paddingContentHorizontalLG: 18,
      fontSizeSM: 12,
      borderRadius: 5,
      motionDurationMid: "0.12s",
      motionDurationSlow: "0.16s",
      wireframe: false,
    },
    components: {
      Button: { primaryShadow: "none", defaultShadow: "none", primaryColor: dark ? "#04201d" : "#ffffff" },
      Modal: { titleFontSize: 15 },
      Tabs: { horizontalMargin: "0", titleFontSize: 13 },
      Form: { itemMarginBottom: 14, labelColor: c.soft },
      Tooltip: { colorBgSpotlight: dark ? "#2a3638" : "#1b2a28" },
    },
  };
}
