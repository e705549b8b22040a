import { useEffect, useState } from 'react';

/** The address of a picture that was chosen: the browser shows it from its own copy. */
export const usePicture = (): [string | undefined, (file: File | undefined) => void] => {
  const [picture, setPicture] = useState<string>();
  useEffect(() => () => void (picture === undefined || URL.revokeObjectURL(picture)), [picture]);
  return [picture, (file) => setPicture(file && URL.createObjectURL(file))];
};
