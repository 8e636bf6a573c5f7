import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { preferences } from "../ui/preferences";
import "../ui/ui.css";
import "../ui/shell.css";
import "../ui/data.css";
import "../ui/forms.css";
import { App } from "./App";
import { guessLanguage, setUpI18n } from "./i18n";

setUpI18n(preferences().language ?? guessLanguage());
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
