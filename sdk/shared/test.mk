CONFORM  ?= --for 10s

.PHONY: test
test: $(NAME).wasm
	$(FCP_HOST) exec --config off --no-builtin --plugin ./$(NAME).wasm tests/basic.fcp > tests/basic.out
	diff -u tests/basic.want tests/basic.out
	$(FCP_HOST) conform $(CONFORM) ./$(NAME).wasm
