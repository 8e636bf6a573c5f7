import { useQuery } from "@tanstack/react-query";
import { client, intent, take } from "../../api/client";
import { touch } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type { EnrolmentToken, Grant, Schemas, Settings, Token, User } from "../../api/types";

const once = () => ({ "Idempotency-Key": intent() });
const etag = (version: number) => `"${version}"`;
const after = <T>(v: T): T => {
  touch("users", "tokens", "settings", "audit");
  return v;
};

export function useUsers() {
  return useQuery({
    queryKey: ["users"],
    queryFn: ({ signal }) =>
      all<User>((cursor) =>
        take<Page<User>>(client.GET("/api/v1/users", { params: { query: { limit: 200, cursor } }, signal })),
      ),
  });
}

export const createUser = (body: Schemas["UserCreate"]) =>
  take<Schemas["UserSecret"]>(client.POST("/api/v1/users", { params: { header: once() }, body })).then(after);

export const updateUser = (
  user: User,
  body: { display?: string; grants: Grant[]; disabled: boolean; reason?: string },
) =>
  take<User>(
    client.PUT("/api/v1/users/{user}", {
      params: { path: { user: user.name }, header: { "If-Match": etag(user.version) } },
      body,
    }),
  ).then(after);

export const deleteUser = (user: User, reason: string) =>
  take(
    client.DELETE("/api/v1/users/{user}", {
      params: { path: { user: user.name }, header: { "If-Match": etag(user.version) }, query: { reason } },
    }),
  ).then(after);

export const resetPassword = (user: User, reason: string) =>
  take<Schemas["UserSecret"]>(
    client.POST("/api/v1/users/{user}/password", { params: { path: { user: user.name } }, body: { reason } }),
  ).then(after);

export const signOutUser = (user: User, reason: string) =>
  take(
    client.POST("/api/v1/users/{user}/sign-out", { params: { path: { user: user.name } }, body: { reason } }),
  ).then(after);

export function useTokens() {
  return useQuery({
    queryKey: ["tokens", "api"],
    queryFn: ({ signal }) =>
      all<Token>((cursor) =>
        take<Page<Token>>(
          client.GET("/api/v1/tokens", { params: { query: { limit: 200, cursor } }, signal }),
        ),
      ),
  });
}

export const createToken = (body: Schemas["TokenCreate"]) =>
  take<Schemas["TokenSecret"]>(client.POST("/api/v1/tokens", { params: { header: once() }, body })).then(
    after,
  );

export const revokeToken = (token: string, reason: string) =>
  take(client.DELETE("/api/v1/tokens/{token}", { params: { path: { token }, query: { reason } } })).then(
    after,
  );

export function useEnrolmentTokens() {
  return useQuery({
    queryKey: ["tokens", "enrolment"],
    queryFn: ({ signal }) =>
      all<EnrolmentToken>((cursor) =>
        take<Page<EnrolmentToken>>(
          client.GET("/api/v1/enrolment-tokens", { params: { query: { limit: 200, cursor } }, signal }),
        ),
      ),
  });
}

export const createEnrolment = (body: Schemas["EnrolmentTokenCreate"]) =>
  take<Schemas["EnrolmentTokenSecret"]>(
    client.POST("/api/v1/enrolment-tokens", { params: { header: once() }, body }),
  ).then(after);

export const revokeEnrolment = (token: string, reason: string) =>
  take(
    client.DELETE("/api/v1/enrolment-tokens/{token}", { params: { path: { token }, query: { reason } } }),
  ).then(after);

export function useSettings() {
  return useQuery({
    queryKey: ["settings"],
    queryFn: ({ signal }) => take<Settings>(client.GET("/api/v1/settings", { signal })),
  });
}

export const saveSettings = (version: number, body: Schemas["SettingsInput"]) =>
  take<Settings>(
    client.PUT("/api/v1/settings", { params: { header: { "If-Match": etag(version) } }, body }),
  ).then(after);

export const changePassword = (current: string, next: string) =>
  take(client.PUT("/api/v1/me/password", { body: { current, new: next } }));
