import { QueryClientProvider } from "@tanstack/react-query";
import { App as AntApp, ConfigProvider } from "antd";
import zhCN from "antd/locale/zh_CN";
import { useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { RouterProvider } from "react-router";
import { RouterContext } from "../ui/routerContext";
import { queryClient } from "../api/live";
import { Icon } from "../ui/icons";
import { router } from "../routes/router";
import { useDark, usePreferences } from "../ui/preferences";
import { guessLanguage } from "./i18n";
import { themeOf } from "./theme";

export function App() {
  const { i18n } = useTranslation();
  const { density, language } = usePreferences();
  const dark = useDark();
  const wanted = language ?? guessLanguage();
  const theme = useMemo(() => themeOf(dark, density), [dark, density]);

  useEffect(() => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.documentElement.dataset.density = density;
  }, [dark, density]);

  useEffect(() => {
    document.documentElement.lang = wanted === "zh" ? "zh-CN" : "en";
    if (i18n.language !== wanted) void i18n.changeLanguage(wanted);
  }, [i18n, wanted]);

  return (
    <ConfigProvider
      theme={theme}
      locale={wanted === "zh" ? zhCN : undefined}
      // The library's own icon leaves by a transition. A page drawn too slowly never ends
      // that, and the button goes on calling itself "loading".
      button={{ autoInsertSpace: false, loadingIcon: <Icon name="busy" size={13} /> }}
      modal={{ mask: { blur: false } }}
    >
      <AntApp component={false} message={{ maxCount: 3 }}>
        <QueryClientProvider client={queryClient}>
          <RouterContext value={router}>
            <RouterProvider router={router} />
          </RouterContext>
        </QueryClientProvider>
      </AntApp>
    </ConfigProvider>
  );
}
