import { createBrowserRouter } from "react-router";
import { features } from "../app/feature";
import { Shell } from "../app/Shell";
import { Missing } from "../ui/states";
import { RouteFailure } from "./RouteFailure";
import { SignIn } from "./SignIn";

export const router = createBrowserRouter([
  { path: "/sign-in", Component: SignIn },
  {
    ErrorBoundary: RouteFailure,
    HydrateFallback: () => null,
    children: features.flatMap((f) => f.bare ?? []),
  },
  {
    path: "/",
    Component: Shell,
    ErrorBoundary: RouteFailure,
    HydrateFallback: () => null,
    children: [
      {
        ErrorBoundary: RouteFailure,
        children: [
          ...features.flatMap((f) => f.routes),
          {
            path: "*",
            element: (
              <div className="page">
                <Missing status={404} />
              </div>
            ),
          },
        ],
      },
    ],
  },
]);
