CREATE TABLE "operator_sessions" (
	"hash" text PRIMARY KEY NOT NULL,
	"token_hash" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_token_hash_operator_tokens_hash_fk" FOREIGN KEY ("token_hash") REFERENCES "public"."operator_tokens"("hash") ON DELETE no action ON UPDATE no action;