import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Console } from './console.ts';

/** What is on the inbox's page, and what the provider has of it. */
export const ada = { phone: '4915112345678', name: 'Ada Lovelace' };

export const row = (on: Page, name: string) => on.locator('.conversation').filter({ hasText: name });
export const composer = (on: Page) => on.getByRole('textbox', { name: 'Message' });
export const openThread = async (on: Page, name: string): Promise<void> => {
  await row(on, name).click();
  await on.getByRole('heading', { name, level: 2 }).waitFor();
};
export const messageOf = (on: Page, text: string) => on.locator('.message').filter({ hasText: text });

interface Accepted {
  wamid: string;
  to: string;
  type: string;
  payload: {
    text?: { body: string };
    template?: { name: string };
    document?: { filename: string };
    reaction?: { message_id: string; emoji: string };
    context?: { message_id: string };
    interactive?: { type: string; body?: { text: string }; action?: { buttons?: { reply: { title: string } }[] } };
  };
}

export const customerOf = (swb: () => Console) => {
  /** What the provider accepted for a phone. */
  const accepted = async (phone: string): Promise<Accepted[]> =>
    ((await swb().product.control('GET', `provider/messages?company_id=1&phone=${phone}`)).body as { data: Accepted[] }).data;
  const acceptedTexts = async (phone: string, text: string): Promise<number> =>
    (await accepted(phone)).filter(({ payload }) => payload.text?.body === text).length;

  /** Ada writes, or does something else. */
  const inbound = async (message: Readonly<Record<string, unknown>>): Promise<void> => {
    const body = { company_id: 1, from: ada.phone, name: ada.name, ...message };
    const { status, raw } = await swb().product.control('POST', 'provider/inbound', body);
    expect([status, status === 200 ? '' : raw]).toEqual([200, '']);
  };
  return { accepted, acceptedTexts, inbound };
};
