import { type DragEvent, useState } from 'react';

/** Whether files of the computer are dragged, and no part of the page. */
export const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** A place that takes what is dropped: whether it is over it, and the handlers of its element. On the way over its own parts it stays over it. */
export const useDrop = (accepts: (event: DragEvent) => boolean, onDropped: (event: DragEvent) => void) => {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent): void => {
        if (!accepts(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent): void => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      },
      onDrop: (event: DragEvent): void => {
        setOver(false);
        if (!accepts(event)) return;
        event.preventDefault();
        onDropped(event);
      },
    },
  };
};
