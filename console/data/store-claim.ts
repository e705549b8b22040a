/** A store whose merchant has just approved the app: it waits, in this tab alone, for a user who connects it to a company. */
export interface StoreClaim {
  shop: string;
  claim: string;
}

const name = 'switchboard.store-claim';

/** Takes the claim out of the part of an address that no server gets. Whatever else stands there is ignored. */
export const takeStoreClaim = (hash: string): void => {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const [shop, claim] = [given.get('shop') ?? '', given.get('claim') ?? ''];
  if (/^[a-z0-9][a-z0-9-]{0,80}\.myshopify\.com$/.test(shop) && /^[\w-]{20,100}$/.test(claim))
    sessionStorage.setItem(name, JSON.stringify({ shop, claim }));
};

export const storeClaim = (): StoreClaim | undefined => {
  const stored = sessionStorage.getItem(name);
  return stored === null ? undefined : (JSON.parse(stored) as StoreClaim);
};

export const dropStoreClaim = (): void => sessionStorage.removeItem(name);
