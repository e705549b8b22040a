import { useCallback, useRef, useState } from 'react';
import { useMutation } from '@tanstack/react-query';

/**
 * The Idempotency-Key of a form: one per instance, however often its button is pressed, until what it wrote is known to be done. So a double
 * click, a slow answer or an answer that was lost is one write.
 */
export const useFormKey = (): { key: () => string; renew: () => void } => {
  const key = useRef(crypto.randomUUID());
  return {
    key: useCallback(() => key.current, []),
    renew: useCallback(() => {
      key.current = crypto.randomUUID();
    }, []),
  };
};

/** A write of a form, with the form's own key. A second press while it is under way does nothing. */
export const useWrite = <T, R>(
  write: (input: T, call: { idempotencyKey: string }) => Promise<R>,
  onDone?: (result: R, input: T) => void,
) => {
  const { key, renew } = useFormKey();
  const underWay = useRef(false);
  const mutation = useMutation({
    mutationFn: (input: T) => write(input, { idempotencyKey: key() }),
    onSuccess: (result, input) => {
      renew();
      onDone?.(result, input);
    },
    onSettled: () => {
      underWay.current = false;
    },
  });
  const { mutate } = mutation;
  const run = useCallback(
    (input: T): void => {
      if (underWay.current) return;
      underWay.current = true;
      mutate(input);
    },
    [mutate],
  );
  return { ...mutation, run };
};

/** A text that survives a reload, under a name of its own: drafts and preferences, never a secret. */
export const useStored = (name: string, initial: string): [string, (value: string) => void] => {
  const [stored, setStored] = useState(() => ({ name, value: localStorage.getItem(name) ?? initial }));
  const value = stored.name === name ? stored.value : (localStorage.getItem(name) ?? initial);
  const set = useCallback(
    (next: string): void => {
      if (next === initial) localStorage.removeItem(name);
      else localStorage.setItem(name, next);
      setStored({ name, value: next });
    },
    [name, initial],
  );
  return [value, set];
};
