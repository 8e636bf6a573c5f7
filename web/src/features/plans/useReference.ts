import { useEffect, useState } from "react";

/** Reference time, ticking: the browser's clock put right by what the server said. */
export function useReference(ahead: number, every = 250): number {
  const [now, set] = useState(() => Date.now() + ahead);
  useEffect(() => {
    const tick = () => set(Date.now() + ahead);
    tick();
    const timer = setInterval(tick, every);
    return () => clearInterval(timer);
  }, [ahead, every]);
  return now;
}
