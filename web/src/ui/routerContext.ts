import { createContext } from "react";
import type { createBrowserRouter } from "react-router";

/** The router itself: it knows of a navigation before what is drawn does. */
export const RouterContext = createContext<ReturnType<typeof createBrowserRouter> | undefined>(undefined);
