import { useCallback, useRef, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { WriteKey } from './write-key.ts';

/** A write of a form, with the form's own key. A second press while it is under way does nothing. */
export const useWrite = <T, R>(
  write: (input: T, call: { idempotencyKey: string }) => Promise<R>,
  onDone?: (result: R, input: T) => unknown,
) => {
  const [key] = useState(() => new WriteKey());
  const underWay = useRef(false);
  const mutation = useMutation({
    mutationFn: (input: T) => write(input, { idempotencyKey: key.of(input) }),
    onSuccess: (result, input) => {
      key.answered();
      return onDone?.(result, input);
    },
    onError: (error) => key.answered(error),
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
