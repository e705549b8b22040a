/**
 * Stands in for the SDK's event streams in every bundle (lib/bundle.ts): S3 Select and its like, which the product does not call. A new
 * call that needs them fails here by name, or, if it needs more than these, when it is bundled.
 */
export class EventStreamSerde {
  constructor() {
    refuse();
  }
}

export const eventStreamSerdeProvider = (): { serialize: () => never; deserialize: () => never } => ({
  serialize: refuse,
  deserialize: refuse,
});

export const resolveEventStreamSerdeConfig = <C>(config: C): C => config;

function refuse(): never {
  throw new Error('Event streams are left out of the bundles: see lib/aws/event-streams.ts.');
}
