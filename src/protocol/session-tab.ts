// What a tab about one session needs to come back after the window was loaded again.
import * as z from "zod/mini";

export const sessionTabSchema = z.object({ file: z.string().check(z.minLength(1), z.maxLength(4096)) });
export type SessionTab = z.infer<typeof sessionTabSchema>;
