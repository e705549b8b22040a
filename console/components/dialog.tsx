import type { JSX, ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button } from './basics.tsx';

/** A dialog over the page: it holds the focus, Escape closes it, and the focus returns. */
export const Dialog = ({
  title,
  onClose,
  children,
  footer,
  wide = false,
  isDismissable = true,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
  /** Whether a press beside it closes it. */
  isDismissable?: boolean;
}): JSX.Element => {
  const text = useText(shellText);
  return (
    <ModalOverlay isOpen isDismissable={isDismissable} onOpenChange={(open) => open || onClose()} className="scrim">
      <Modal className={`dialog ${wide ? 'wide' : ''}`}>
        <AriaDialog>
          <header>
            <Heading slot="title">{title}</Heading>
            <Button look="quiet" small icon="close" label={text.close} onClick={onClose} />
          </header>
          <div className="content">{children}</div>
          {footer !== undefined && <footer>{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
};
