/** A webhook of a store platform, before it is normalized. */
export interface PlatformWebhook {
  topic: string;
  body: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds: the platform's trigger time, and the time of receipt. */
  triggeredAt: number | undefined;
  receivedAt: number;
}
