/**
 * Replaces the SDK's event streams in every bundle (lib/bundle.ts): the product calls nothing that needs them, such as S3 Select. A new call
 * that does fails here with a message, or when it is bundled.
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
