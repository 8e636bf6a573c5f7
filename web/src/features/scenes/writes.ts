import { client, intent, take } from "../../api/client";
import { queryClient } from "../../api/live";
import type { Tagged } from "./api";
import type { Profile, ProfileUpload, Scene, SceneGraph, SceneInput } from "./types";
import { inputOf } from "./document";

const refresh = () => queryClient.invalidateQueries({ queryKey: ["scenes"] });

export async function createScene(input: SceneInput) {
  const made = await take<Scene>(
    client.POST("/api/v1/scenes", { params: { header: { "Idempotency-Key": intent() } }, body: input }),
  );
  await refresh();
  return made;
}

export async function saveScene(tagged: Tagged, input: SceneInput) {
  await take(
    client.PUT("/api/v1/scenes/{scene}", {
      params: { path: { scene: tagged.scene.name }, header: { "If-Match": tagged.etag } },
      body: input,
    }),
  );
  await refresh();
}

export const saveGraph = (tagged: Tagged, graph: SceneGraph, reason: string) =>
  saveScene(tagged, { ...inputOf(tagged.scene), graph, reason });

export async function setTarget(scene: string, etag: string, target: string, reason: string) {
  await take(
    client.PUT("/api/v1/scenes/{scene}/target", {
      params: { path: { scene }, header: { "If-Match": etag } },
      body: { target, reason },
    }),
  );
  await refresh();
}

export async function restoreScene(tagged: Tagged, version: number, reason: string) {
  await take(
    client.POST("/api/v1/scenes/{scene}/rollback", {
      params: { path: { scene: tagged.scene.name }, header: { "If-Match": tagged.etag } },
      body: { version, reason },
    }),
  );
  await refresh();
}

export async function deleteScene(tagged: Tagged, reason: string) {
  await take(
    client.DELETE("/api/v1/scenes/{scene}", {
      params: { path: { scene: tagged.scene.name }, query: { reason }, header: { "If-Match": tagged.etag } },
    }),
  );
  await queryClient.invalidateQueries({ queryKey: ["scenes", "list"] });
}

export async function rebuild(scene: string, reason: string) {
  await take(
    client.POST("/api/v1/scenes/{scene}/allocations", { params: { path: { scene } }, body: { reason } }),
  );
  await refresh();
}

export async function uploadProfile(upload: ProfileUpload) {
  const made = await take<Profile>(client.POST("/api/v1/profiles", { body: upload }));
  await Promise.all([refresh(), queryClient.invalidateQueries({ queryKey: ["profiles"] })]);
  return made;
}

export async function deleteProfile(profile: Profile, reason: string) {
  await take(
    client.DELETE("/api/v1/profiles/{profile}", {
      params: {
        path: { profile: profile.id },
        query: { reason },
        header: { "If-Match": `"${profile.version}"` },
      },
    }),
  );
  await Promise.all([refresh(), queryClient.invalidateQueries({ queryKey: ["profiles"] })]);
}
