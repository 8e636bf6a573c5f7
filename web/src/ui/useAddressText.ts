import { useContext, useEffect, useState } from "react";
import { useLocation, useSearchParams } from "react-router";
import { RouterContext } from "./routerContext";

/** How long typing rests before the address follows, in milliseconds. */
const rest = 150;

/**
 * A text that a field edits and the address keeps. The router takes a new address as
 * work that may wait, and a field that shows what the address says loses the letters
 * typed meanwhile. So the field has a text of its own, which the address follows;
 * an address changed from elsewhere, as by going back, changes the text. Whoever is on
 * the way to another page is not called back for the sake of the text.
 */
export function useAddressText(key = "q"): [string, (text: string) => void] {
  const [params, setParams] = useSearchParams();
  const here = useLocation().key;
  const router = useContext(RouterContext);
  const said = params.get(key) ?? "";
  const [text, setText] = useState(said);
  const [seen, setSeen] = useState(said);
  const [wrote, setWrote] = useState<string>(); // into the address, and not seen there yet
  if (said !== seen) {
    setSeen(said);
    setWrote(undefined);
    // What is typed and not in the address yet stays.
    if (said !== wrote && text === seen) setText(said);
  }
  useEffect(() => {
    if (text === said) return;
    const timer = setTimeout(() => {
      // What the router knows may be further than what is drawn.
      if (router && (router.state.navigation.state !== "idle" || router.state.location.key !== here)) return;
      setWrote(text);
      setParams(
        (p) => {
          if (text) p.set(key, text);
          else p.delete(key);
          return p;
        },
        { replace: true },
      );
    }, rest);
    return () => clearTimeout(timer);
  }, [text, said, key, here, router, setParams]);
  return [text, setText];
}
