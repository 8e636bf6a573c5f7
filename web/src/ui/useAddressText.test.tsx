import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider, useSearchParams } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { RouterContext } from "./routerContext";
import { SearchField } from "./SearchField";
import { useAddressText } from "./useAddressText";

function Page() {
  const [text, setText] = useAddressText();
  const [params, setParams] = useSearchParams();
  return (
    <>
      <SearchField label="find" text={text} onText={setText} />
      <button onClick={() => setParams({ ...Object.fromEntries(params), state: "open" })}>filter</button>
    </>
  );
}

const open = (at: string) => {
  const router = createMemoryRouter([{ path: "/", Component: Page }], { initialEntries: [at] });
  render(
    <RouterContext value={router}>
      <RouterProvider router={router} />
    </RouterContext>,
  );
  return { router, field: screen.getByLabelText<HTMLInputElement>("find") };
};

const says = (router: ReturnType<typeof open>["router"]) =>
  expect.poll(() => router.state.location.search, { timeout: 15_000 });

it("loses no letter, wherever it is typed, and the address follows", async () => {
  const user = userEvent.setup({ delay: null });
  const { router, field } = open("/?state=x");
  await user.type(field, "point-0123456789");
  expect(field).toHaveValue("point-0123456789");
  await user.type(field, "XYZ", { initialSelectionStart: 5, initialSelectionEnd: 5 });
  expect(field).toHaveValue("pointXYZ-0123456789");
  await says(router).toBe("?state=x&q=pointXYZ-0123456789");
  await user.clear(field);
  await says(router).toBe("?state=x");
});

it("begins with what the address says, and follows one that is changed from elsewhere", async () => {
  const { router, field } = open("/?q=a");
  expect(field).toHaveValue("a");
  await act(() => router.navigate("/?q=b"));
  expect(field).toHaveValue("b");
  await act(() => router.navigate(-1));
  expect(field).toHaveValue("a");
});

it("keeps what is typed while something else changes the address", async () => {
  const user = userEvent.setup({ delay: null });
  const { router, field } = open("/");
  await user.type(field, "rank");
  await user.click(screen.getByText("filter"));
  expect(field).toHaveValue("rank");
  await says(router).toBe("?state=open&q=rank");
  expect(field).toHaveValue("rank");
});

afterEach(() => {
  vi.useRealTimers();
});

it("calls nobody back who is on the way to another page", async () => {
  let arrive: (page: { Component: () => string }) => void = () => {};
  const page = new Promise<{ Component: () => string }>((ok) => (arrive = ok));
  const router = createMemoryRouter([
    { path: "/", Component: Page },
    { path: "/point", lazy: () => page },
  ]);
  render(
    <RouterContext value={router}>
      <RouterProvider router={router} />
    </RouterContext>,
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  fireEvent.change(screen.getByLabelText("find"), { target: { value: "rank" } });
  const going = router.navigate("/point");
  await act(() => vi.advanceTimersByTimeAsync(10_000)); // typing rests long before the page is there
  arrive({ Component: () => "the point" });
  await act(() => going);
  expect(router.state.location.pathname).toBe("/point");
});
